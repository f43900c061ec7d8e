import { isUnstable } from "../matchers/stable.ts";
import type { AnsweredRequest } from "../service/answered-request.ts";
import { accessor, Code, literal, Names } from "./code.ts";

type Path = readonly (string | number)[];

/** A value of a response that a later request sends. */
interface Binding {
  readonly step: Step;
  readonly path: Path;
  /** Set by the first use. */
  name: string | null;
}

/** A request of a scenario with its code. */
interface Step {
  readonly request: AnsweredRequest;
  readonly bindings: Binding[];
  readonly call: string;
}

export interface ScenarioParts {
  readonly requests: readonly AnsweredRequest[];
  /** The name of a user, group or object of the content; `null` for another id. */
  readonly nameOf: (alias: string, id: string) => string | null;
}

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Log-ins and log-outs, which agents do by themselves. */
const byAgents = /^\/(?:v\d\/(?:login|logout|auth)\b|admin\/v1\/(?:login|logout|proof)$)/;

const longestCall = 90;

const mask = /<\w+>/;

/** The body of a test that sends the requests again, one statement on each line. */
export function scenarioLines({ requests, nameOf }: ScenarioParts): string[] {
  const writer = new ScenarioWriter(nameOf);
  for (const request of requests)
    if (methods.has(request.method) && !byAgents.test(request.route ?? request.path)) writer.add(request);
  return writer.lines();
}

class ScenarioWriter {
  readonly #nameOf: ScenarioParts["nameOf"];
  readonly #names = new Names();
  /** By the options of the agent. */
  readonly #agents = new Map<string, string>();
  readonly #known = new Map<string, Binding>();
  readonly #parts: (Step | string)[] = [];

  constructor(nameOf: ScenarioParts["nameOf"]) {
    this.#nameOf = nameOf;
  }

  add(request: AnsweredRequest): void {
    const reason = whyLeftOut(request);
    if (reason !== null) {
      this.#parts.push(`// ${request.method} ${request.route ?? request.path} is left out: ${reason}.`);
      return;
    }
    const step: Step = { request, bindings: [], call: this.#callOf(request) };
    this.#parts.push(step);
    if (request.code === 0) this.#keep(step, request.data, []);
  }

  lines(): string[] {
    const agents = Array.from(this.#agents, ([code, name]) => `const ${name} = ${code};`);
    const steps = this.#parts.flatMap((part) => {
      if (typeof part === "string") return [part];
      const used = part.bindings.filter(({ name }) => name !== null);
      if (used.length === 0 && !isChecked(part.request)) return [`await ${part.call};`];
      const answer = this.#names.free(verbOf(part.request));
      const values = used.map(({ name, path }) => `const ${name} = ${answer}.body.data${accessor(path)};`);
      return [`const ${answer} = await ${part.call};`, ...values, ...checksOf(part.request, answer)];
    });
    return [...agents, ...steps];
  }

  #callOf(request: AnsweredRequest): string {
    const { method, status, body, data } = request;
    const [pathname = "", search = ""] = request.path.split("?", 2);
    const query = Object.fromEntries(
      Array.from(new URLSearchParams(search), ([name, value]) => [name, this.#valueOf(value, false)]),
    );
    const calls = [
      `.${method.toLowerCase()}(${this.#pathOf(request, pathname)})`,
      ...(search === "" ? [] : [`.query(${literal(query, "  ")})`]),
      ...(body === undefined ? [] : [`.send(${literal(this.#replaced(body, data), "  ")})`]),
      `.expect(${status})`,
    ];
    const agent = this.#agentOf(request);
    const isLong = agent.length + calls.join("").length > longestCall || calls.some((call) => call.includes("\n"));
    return agent + calls.map((call) => (isLong ? `\n  ${call}` : call)).join("");
  }

  #agentOf({ user, mode, alias, path }: AnsweredRequest): string {
    const options = {
      ...(alias === null || alias === "" ? {} : { alias }),
      ...(path.startsWith("/admin/") ? { administration: true } : {}),
      ...(mode === "custom" ? { mode } : {}),
    };
    const optionsCode = Object.keys(options).length === 0 ? "" : `, ${literal(options)}`;
    const isFixed = "mode" in options || "administration" in options;
    const code =
      user === null
        ? `service.anonymous(${optionsCode.slice(2)})`
        : `${isFixed ? "service.as(" : "agentOf(service, "}${JSON.stringify(user)}${optionsCode})`;
    const name = this.#agents.get(code) ?? this.#names.free(user ?? "anonymous");
    this.#agents.set(code, name);
    return name;
  }

  /** A parameter of the path can be an id. */
  #pathOf({ route, alias }: AnsweredRequest, pathname: string): string {
    const pattern = route?.split("/") ?? [];
    const parts = pathname.split("/").map((segment, index) => {
      if (pattern[index]?.startsWith("{") !== true) return segment;
      const value = this.#valueOf(decodeURIComponent(segment), true, alias ?? "");
      return value instanceof Code ? `\${${value.text}}` : segment;
    });
    const text = parts.join("/");
    return text.includes("${") ? `\`${text}\`` : JSON.stringify(text);
  }

  /** A body with code for ids and other values of responses. `shown`: the same place in the response. */
  #replaced(value: unknown, shown: unknown): unknown {
    const member = (name: string | number): unknown =>
      (shown as Readonly<Record<string, unknown>> | null | undefined)?.[name];
    if (Array.isArray(value)) return value.map((each, index) => this.#replaced(each, member(index)));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [
          name,
          name === "~ObjectID" && typeof each === "string"
            ? this.#valueOf(each, true)
            : this.#replaced(each, member(name)),
        ]),
      );
    if (typeof value !== "string") return value;
    // The response shows a reference as an object with an id.
    return this.#valueOf(value, member("~ObjectID") === value);
  }

  /** The code for a value that an earlier response or the content has; else the value. */
  #valueOf(value: string, isId: boolean, alias = ""): Code | string {
    const binding = this.#known.get(value);
    if (binding !== undefined && (isId || value.length >= 8)) {
      binding.name ??= this.#names.free(nameFor(binding));
      return new Code(binding.name);
    }
    const seeded = isId ? this.#nameOf(alias, value) : null;
    if (seeded === null) return value;
    return new Code(`service.id(${JSON.stringify(seeded)}${alias === "" ? "" : `, ${JSON.stringify(alias)}`})`);
  }

  /** Stores the ids and generated texts of a response. */
  #keep(step: Step, value: unknown, path: Path): void {
    if (typeof value === "object" && value !== null) {
      for (const [name, each] of Object.entries(value))
        this.#keep(step, each, [...path, Array.isArray(value) ? Number(name) : name]);
      return;
    }
    const name = path.at(-1);
    if (typeof value !== "string" || this.#known.has(value)) return;
    const isId = name === "~ObjectID" && this.#nameOf(step.request.alias ?? "", value) === null;
    const isGenerated = typeof name === "string" && generated.has(name);
    if (!isId && !isGenerated) return;
    const binding = { step, path, name: null };
    step.bindings.push(binding);
    this.#known.set(value, binding);
  }
}

/** Members that the service generates and takes back. */
const generated = new Set(["~Cursor", "~UUID", "syncVersion", "uploadId", "next"]);

function whyLeftOut({ path, body, user, mode, hasFile }: AnsweredRequest): string | null {
  if (user === null && mode !== null) return "its user is unknown";
  if (hasFile) return "its body is a file";
  return mask.test(path) || mask.test(JSON.stringify(body) ?? "") ? "it contains a credential" : null;
}

function verbOf({ method, route, code }: AnsweredRequest): string {
  if (code !== 0) return "refused";
  if (method === "POST") return route?.startsWith("/v1/object/") === true ? "created" : "answer";
  if (method === "GET") return route?.startsWith("/v1/object") === true ? "read" : "answer";
  return method === "DELETE" ? "deleted" : "changed";
}

/** The class of a new object, or the member. */
function nameFor({ step: { request }, path }: Binding): string {
  const last = String(path.at(-1));
  if (last !== "~ObjectID") return last;
  const [, className] = /^\/v1\/objects?\/([A-Za-z]\w*)/.exec(request.path) ?? [];
  return className ?? "object";
}

/** Whether the response of a request is compared with the recorded one. */
const isChecked = (request: AnsweredRequest): boolean => checksOf(request, "").length > 0;

/** Statements that compare a response with the recorded one. */
function checksOf({ code, data, route }: AnsweredRequest, answer: string): string[] {
  if (code !== 0) return [`assertError(${answer}, ${code});`];
  const received = `${answer}.body.data`;
  if (route === "/v1/multi" && Array.isArray(data)) {
    const statuses = (data as readonly { readonly httpStatus: number }[]).map(({ httpStatus }) => httpStatus);
    return [`assert.deepEqual(${received}.map(({ httpStatus }) => httpStatus), ${literal(statuses)});`];
  }
  // Another server has another version.
  if (route === "/_CheckService" || Array.isArray(data)) return [];
  if (typeof data !== "object" || data === null)
    return isComparable("", data) ? [`assert.equal(${received}, ${literal(data)});`] : [];
  return Object.entries(data)
    .filter(([name, value]) => !name.startsWith("~") && isComparable(name, value))
    .map(([name, value]) => `assert.equal(${received}${accessor([name])}, ${literal(value)});`);
}

function isComparable(name: string, value: unknown): boolean {
  if (typeof value === "string") return !mask.test(value) && !generated.has(name) && !isUnstable(value);
  return typeof value === "number" || typeof value === "boolean";
}
