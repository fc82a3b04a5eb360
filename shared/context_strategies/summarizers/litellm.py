"""Summaries by any model that litellm can call."""

import time
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from context_strategies.commands import one_line
from context_strategies.summarizers.ask import MAX_INPUT_TOKENS, Answer, Asking
from context_strategies.summarizers.base import SummarizerError, Summary, SummaryRequest
from context_strategies.usage import usage_of

FIRST_WAIT = 1.0
"""Seconds before the first retry; each later one waits twice as long."""


@dataclass(frozen=True, slots=True)
class LiteLLM:
    """Asks ``model`` for the summary; needs the ``litellm`` extra, imported at the first call.

    ``api_base`` and ``api_key`` override what litellm takes from the environment; the key is in no dump of a config.
    ``max_input_tokens`` (estimated) caps the prompt: a larger one cuts less of long outputs and costs more.
    ``max_output_tokens`` bounds the answer, thinking included. ``timeout`` is seconds a call; ``retries`` how often a
    call is repeated that a rate limit, a failing server or a lost connection has stopped. A call that timed out is not
    repeated.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    model: Annotated[str, Field(min_length=1)]
    api_base: str | None = None
    api_key: Annotated[str | None, Field(exclude=True)] = field(default=None, repr=False)
    temperature: float | None = 0.0
    max_input_tokens: Annotated[int, Field(gt=0)] = MAX_INPUT_TOKENS
    max_output_tokens: Annotated[int, Field(gt=0)] = 4_096
    timeout: Annotated[float, Field(gt=0)] = 120.0
    retries: Annotated[int, Field(ge=0)] = 2

    @property
    def name(self) -> str:
        """How tables and events call it."""
        return self.model

    def __call__(self, request: SummaryRequest) -> Summary:
        """The model's summary, cut to the request's limit.

        A prompt that is too long for the model is tried again at half the cap, once. Raises :class:`SummarizerError`.
        """
        too_long = _litellm().ContextWindowExceededError
        try:
            return Asking(self.name, self.ask, too_long, self.max_input_tokens)(request)
        except SummarizerError:
            raise
        except Exception as error:  # providers raise all sorts, and none may reach the host's loop
            raise SummarizerError(one_line(f"{self.model}: {type(error).__name__}: {error}", 300)) from error

    def ask(self, system: str, user: str) -> Answer:
        """One call, repeated where it may help; raises what litellm raises."""
        litellm = _litellm()
        response = self._completion(litellm, [{"role": "system", "content": system}, {"role": "user", "content": user}])
        choice = response.choices[0]
        usage = usage_of(response.model_dump().get("usage"))
        return Answer(choice.message.content or "", usage, _cost(litellm, response, self.model), choice.finish_reason)

    def _completion(self, litellm: ModuleType, messages: list[dict[str, str]]) -> Any:
        transient = (litellm.RateLimitError, litellm.InternalServerError, litellm.ServiceUnavailableError)
        waits = [FIRST_WAIT * 2**n for n in range(self.retries)]
        while True:
            try:
                return litellm.completion(
                    model=self.model,
                    messages=messages,
                    api_base=self.api_base,
                    api_key=self.api_key,
                    temperature=self.temperature,
                    max_tokens=self.max_output_tokens,
                    timeout=self.timeout,
                    max_retries=0,
                    drop_params=True,
                    stream=False,
                )
            except litellm.Timeout:
                raise
            except (*transient, litellm.APIConnectionError):
                if not waits:
                    raise
                time.sleep(waits.pop(0))


def _litellm() -> ModuleType:
    try:
        import litellm  # noqa: PLC0415 - optional, and slow to load
    except ImportError as error:
        raise SummarizerError("litellm is not installed: pip install 'context-strategies[litellm]'") from error
    litellm.suppress_debug_info = True  # it would print advice on every error, into the host's standard output
    return litellm


def _cost(litellm: ModuleType, response: object, model: str) -> float | None:
    """US dollars, where litellm knows the model's prices."""
    try:
        return float(litellm.completion_cost(completion_response=response, model=model))
    except Exception:  # noqa: BLE001 - an unknown price is no reason to lose a summary
        return None
