import { printable } from "./table-lines.ts";

interface ExplainedFailure {
  readonly code: number;
  readonly status: number;
  readonly name: string;
  readonly steps: readonly { readonly asked: string; readonly found: string }[];
  readonly nextSteps: readonly string[];
}

interface ExplainedItem extends ExplainedFailure {
  readonly index: number;
  readonly method: string;
  readonly route: string | null;
}

/** Why a request was refused. */
export interface ExplainedRefusal {
  readonly requestId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly route: string;
  readonly network: string;
  readonly appKey: string | null;
  readonly mode: string | null;
  readonly user: string | null;
  /** `null` if only items of a multi request failed. */
  readonly failure: ExplainedFailure | null;
  readonly items: readonly ExplainedItem[];
}

/** The output of `why`. `strong`: emphasizes headings. */
export function explanationLines(refusal: ExplainedRefusal, strong: (text: string) => string): string[] {
  const { requestId, at, method, route, network, appKey, mode, user, failure, items } = refusal;
  const heading =
    failure === null ? `${method} ${route} succeeded with failed items` : headingOf({ ...failure, method, route });
  const about = [
    ["time", at],
    ["request", requestId],
    ["network", network],
    ["app key", appKey],
    ["mode", mode],
    ["user", user],
  ] as const;
  return [
    strong(heading),
    ...about.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(9)}${printable(value)}`])),
    ...(failure === null ? [] : failureLines(failure)),
    ...items.flatMap((item) => ["", strong(`item ${item.index}: ${headingOf(item)}`), ...failureLines(item).slice(1)]),
  ];
}

function headingOf({
  method,
  route,
  status,
  code,
  name,
}: Omit<ExplainedItem, "index" | "steps" | "nextSteps">): string {
  return `${[method, route].filter(Boolean).join(" ")} was refused with ${status}/${code} (${name})`;
}

/** The questions in one column, the answers in another; then what to do. */
function failureLines({ steps, nextSteps }: ExplainedFailure): string[] {
  const width = Math.max(0, ...steps.map(({ asked }) => asked.length));
  const advice = nextSteps.map((step) => `  - ${printable(step)}`);
  return [
    "",
    ...steps.map(({ asked, found }) => `  ${printable(asked).padEnd(width)}  ${printable(found)}`),
    ...(advice.length === 0 ? [] : ["", "Next steps:", ...advice]),
  ];
}
