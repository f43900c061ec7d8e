import type { Duration } from "../clock/duration.ts";
import type { ServiceTimer } from "../clock/service-clock.ts";
import type { DatabaseContent } from "../service/database-content.ts";
import type { TestService } from "../service/test-service.ts";

/** The parameters of a control: the query of a `GET`, else the JSON body. */
export type ControlInput = Readonly<Record<string, unknown>>;

interface Control {
  /** Parameters in words, for the help. */
  readonly takes: string;
  readonly run: (service: TestService, input: ControlInput) => unknown;
  /** Whether the command ends after the response. */
  readonly isLast?: boolean;
}

const aliasOf = ({ alias = "" }: ControlInput): string => String(alias);

/** The controls by method and path. Each returns JSON. */
export const controls: ReadonlyMap<string, Control> = new Map<string, Control>([
  ["POST /reset", { takes: "", run: (service) => service.reset() }],
  ["POST /close", { takes: "", run: () => undefined, isLast: true }],
  ["GET /clock", { takes: "", run: nowOf }],
  [
    "POST /clock",
    {
      takes: "advance",
      run: (service, { advance }) => {
        service.clock.advance(advance as Duration);
        return nowOf(service);
      },
    },
  ],
  [
    "POST /timers",
    {
      takes: "run: a timer or all",
      run: (service, { run }) => (run === "all" ? service.timers.runAll() : service.timers.run(run as ServiceTimer)),
    },
  ],
  ["POST /failures", { takes: "route; code, delay or drop; times", run: fail }],
  ["DELETE /failures", { takes: "route", run: (service, input) => service.fail(routeOf(input)).clear() }],
  [
    "POST /content",
    {
      takes: "content, alias",
      run: (service, input) => service.seed(input["content"] as DatabaseContent, aliasOf(input)),
    },
  ],
  [
    "GET /id",
    { takes: "name, alias", run: (service, input) => ({ id: service.id(String(input["name"]), aliasOf(input)) }) },
  ],
  [
    "POST /administrationKey",
    { takes: "alias", run: async (service, input) => ({ appKey: await service.administrationKey(aliasOf(input)) }) },
  ],
  [
    "GET /mail",
    {
      takes: "to",
      run: async (service, { to }) => ({ items: await service.mail.all(to === undefined ? undefined : String(to)) }),
    },
  ],
  ["GET /licences", { takes: "", run: async (service) => ({ items: await service.licences.all() }) }],
  ["GET /audit", { takes: "alias", run: async (service, input) => ({ items: await service.audit(aliasOf(input)) }) }],
  ["GET /journal", { takes: "", run: (service) => ({ items: service.journal }) }],
  [
    "GET /why",
    {
      takes: "requestId, alias",
      run: async (service, input) => ({ refusal: await service.why(String(input["requestId"]), aliasOf(input)) }),
    },
  ],
]);

/** The controls, one on each line. */
export function controlList(): string {
  return Array.from(controls, ([name, { takes }]) => `  ${name.padEnd(25)}${takes}`.trimEnd()).join("\n");
}

function nowOf({ clock }: TestService) {
  return { now: clock.now() };
}

/** Throws a `TypeError` if the input names no route. */
function routeOf({ route }: ControlInput): string {
  if (typeof route !== "string")
    throw new TypeError("`route` is missing. It is a method and a path, such as `GET /v1/object/{id}`.");
  return route;
}

function fail(service: TestService, { route, code, delay, drop, times = 1, ...parts }: ControlInput): void {
  const failures = service.fail(routeOf({ route }));
  const effects = Object.entries({ code, delay, drop }).filter(([, value]) => value !== undefined);
  if (effects.length !== 1) throw new TypeError("A failure has exactly one of `code`, `delay` and `drop`.");
  const planned =
    code !== undefined
      ? failures.with(Number(code), parts)
      : delay !== undefined
        ? failures.delay(delay as Duration)
        : failures.drop(drop as "before" | "after");
  if (times === "always") planned.always();
  else planned.times(Number(times));
}
