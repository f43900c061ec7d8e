import type { AnsweredRequest, Explanation } from "../service/answered-request.ts";

interface ExplainingService {
  onAnswered(listener: (request: AnsweredRequest) => void): unknown;
  why(requestId: string, alias: string): Promise<Explanation | null>;
}

/** Of all services in this process, by request id: matchers answer at once and cannot wait for a service. */
const explanations = new Map<string, Explanation>();
/** The explanations that are being read. */
const reading = new Map<string, Promise<void>>();

const maxExplanations = 500;

/** Keeps why a service refuses requests, for messages of failed matchers. */
export function recordRefusals(service: ExplainingService): void {
  service.onAnswered(({ code, alias, requestId }) => {
    if (code === 0 || alias === null) return;
    // The service records a refusal right after its answer. A failure to explain must not fail a test.
    const read = Promise.resolve()
      .then(() => service.why(requestId, alias))
      .then(keep, () => {})
      .finally(() => reading.delete(requestId));
    reading.set(requestId, read);
  });
}

/** Resolves when the explanation of a refused request is kept, so that a matcher finds it. */
export async function refusalRecorded(requestId: string | undefined): Promise<void> {
  if (requestId !== undefined) await reading.get(requestId);
}

function keep(explanation: Explanation | null): void {
  if (explanation === null) return;
  explanations.set(explanation.requestId, explanation);
  for (const oldest of explanations.keys()) {
    if (explanations.size <= maxExplanations) return;
    explanations.delete(oldest);
  }
}

/** The checks of a refused request, one on each line; `null` if the refusal was not recorded. */
export function whyRefused(requestId: string): string | null {
  const explanation = explanations.get(requestId);
  const failure = explanation?.failure;
  if (explanation === undefined || !failure) return null;
  const width = Math.max(...failure.steps.map(({ asked }) => asked.length));
  return [
    `${explanation.method} ${explanation.route}, user ${explanation.user ?? "unknown"}`,
    ...failure.steps.map(({ asked, found }) => `${asked.padEnd(width)}  ${found}`),
    ...failure.nextSteps,
  ].join("\n");
}
