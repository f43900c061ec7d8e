import type fc from "fast-check";
import type {
  ClassName,
  DeviceStep,
  Edit,
  Fault,
  Fields,
  Interruption,
  OperatorStep,
  Permission,
  Reader,
  Scenario,
  SchemaChange,
  Step,
  SyncStep,
} from "./scenario.ts";

export interface ScenarioSize {
  /** Number of devices. Users have one device each, from the fourth on two. */
  readonly devices: number;
  readonly steps: number;
}

export const users = 3;
export const groups = 3;

const cities = ["Aarhus", "Braga", "Gent"];

/** A scenario with steps that usually find what they change. */
export function randomScenario(random: fc.Random, { devices, steps }: ScenarioSize): Scenario {
  const generator = new Generator(new Choices(random), devices);
  return {
    devices: Array.from({ length: devices }, (_, device) => device % users),
    steps: Array.from({ length: steps }, () => generator.step()),
  };
}

/** Most edits are of objects that their writer can have, so that devices meet at the same ones. */
const likely = 0.9;

class Generator {
  /** Classes of the objects so far, in order. */
  private readonly objects: ClassName[] = [];
  /** Objects that the server has if nothing fails; then those of each device. */
  private readonly onServer = new Set<number>();
  private readonly onDevice: readonly Set<number>[];
  private values = 0;
  /** Objects whose restriction or deletion a later step can undo. */
  private readonly restricted = new Set<number>();
  private readonly recycled = new Set<number>();
  private hasCopy = false;

  constructor(
    private readonly random: Choices,
    private readonly devices: number,
  ) {
    this.onDevice = Array.from({ length: devices }, () => new Set());
  }

  step(): Step {
    const { random } = this;
    return random.weighted<() => Step>([
      [40, () => this.deviceEdit(this.device())],
      [30, () => this.sync(this.device())],
      [6, () => this.together()],
      [26, () => this.operatorStep()],
    ])();
  }

  private device(): number {
    return this.random.below(this.devices);
  }

  private deviceEdit(device: number): DeviceStep {
    return { kind: "edit", device, edit: this.edit(this.onDevice[device] as Set<number>) };
  }

  private sync(device: number): SyncStep {
    const { random, onServer } = this;
    const own = this.onDevice[device] as Set<number>;
    for (const object of own) onServer.add(object);
    for (const object of onServer) own.add(object);
    const faults = random.chance(0.45) ? Array.from({ length: 1 + random.below(3) }, () => this.fault()) : [];
    const during = random.chance(0.2) ? [this.interruption(device)] : [];
    return {
      kind: "sync",
      device,
      ...(random.chance(0.3) ? { server: 1 } : {}),
      ...(faults.length === 0 ? {} : { faults }),
      ...(random.chance(0.15) ? { crash: { call: random.below(12), stored: random.chance(0.5) } } : {}),
      ...(during.length === 0 ? {} : { during }),
    };
  }

  private fault(): Fault {
    const faults = ["none", "lost", "late", "unanswered", "unanswered", "twice", "cut", "slow"] as const;
    const fault = this.random.pick<Fault>(faults);
    // A server takes long to start.
    return fault === "slow" && this.values % 4 === 0 ? "killed" : fault;
  }

  private interruption(device: number): Interruption {
    if (this.random.chance(0.3)) return { call: this.random.below(12), step: this.deviceEdit(device) };
    const request = this.random.below(3);
    if (this.random.chance(0.5)) return { request, step: this.deviceEdit(device) };
    return { request, step: this.operatorStep() };
  }

  private together(): Step {
    const all = Array.from({ length: this.devices }, (_, device) => device);
    const chosen = this.random.some(all, 0.7);
    return { kind: "together", syncs: (chosen.length === 0 ? all : chosen).map((device) => this.sync(device)) };
  }

  /** An edit by someone who has these objects. */
  private edit(known: Set<number>): Edit {
    const { random } = this;
    const kind =
      known.size === 0
        ? "create"
        : random.weighted([
            [3, "create"],
            [5, "change"],
            [1, "remove"],
          ]);
    if (kind === "create") {
      const className = random.weighted<ClassName>([
        [4, "Customer"],
        [1, "KeyCustomer"],
        [3, "Invoice"],
      ]);
      const fields = this.fieldsOf(className, 0.6, known);
      this.objects.push(className);
      const object = this.objects.length - 1;
      known.add(object);
      return { kind, object, className, fields };
    }
    const object = this.object(known);
    if (kind === "remove") return { kind, object };
    const className = this.objects[object] as ClassName;
    const fields = this.fieldsOf(className, 0.35, known);
    return { kind: "change", object, fields: Object.keys(fields).length === 0 ? { Name: this.value() } : fields };
  }

  /** Usually one of the latest. */
  private object(known: ReadonlySet<number>): number {
    const { random } = this;
    const objects = random.chance(likely) ? [...known] : [...this.objects.keys()];
    const back = random.below(random.chance(0.7) ? Math.min(3, objects.length) : objects.length);
    return objects.at(-1 - back) as number;
  }

  private fieldsOf(className: ClassName, probability: number, known: ReadonlySet<number>): Fields {
    const { random } = this;
    const fields: Record<string, Fields[string]> = {};
    const maybeSet = (name: string, value: () => Fields[string]) => {
      if (random.chance(probability)) fields[name] = random.chance(0.1) ? null : value();
    };
    maybeSet("Name", () => this.value());
    maybeSet("City", () => random.pick(cities));
    if (className === "Invoice") {
      maybeSet("Amount", () => this.number());
      maybeSet("Customer", () => this.customer(known));
      maybeSet("Copies", () =>
        [...new Set([this.customer(known), this.customer(known)])].filter((name) => name !== null),
      );
      return fields;
    }
    maybeSet("Note", () => this.value());
    maybeSet("Limit", () => this.number());
    if (random.chance(0.3)) maybeSet("Parent", () => this.customer(known));
    if (className === "KeyCustomer") maybeSet("Level", () => this.number());
    return fields;
  }

  /** Different for each edit, so that the writer of a value is known. */
  private value(): string {
    this.values += 1;
    return `v${this.values}`;
  }

  /** Servers refuse a text. */
  private number(): number | string {
    this.values += 1;
    return this.values % 20 === 0 ? `not the number ${this.values}` : this.values;
  }

  private customer(known: ReadonlySet<number>): string | null {
    const objects = this.random.chance(likely) ? [...known] : [...this.objects.keys()];
    const customers = objects.filter((object) => this.objects[object] !== "Invoice");
    return customers.length === 0 ? null : `#${this.random.pick(customers)}`;
  }

  private operatorStep(): OperatorStep {
    const { random } = this;
    return random.weighted<() => OperatorStep>([
      [8, () => this.write()],
      [4, () => this.ofObject((object) => this.recycling(object))],
      [7, () => this.ofObject((object) => this.readersStep(object))],
      [3, () => this.member()],
      [3, () => this.rights()],
      [2, () => ({ kind: "attribute", attribute: "Note", groups: this.groupsOrAll() })],
      [4, () => ({ kind: "schema", change: this.schemaChange() })],
      [1, () => ({ kind: "switch", enabled: random.chance(0.5) })],
      [1.5, () => ({ kind: "kill", server: random.below(2) })],
      [3, () => this.copying()],
      [
        1,
        () => ({
          kind: "clock",
          device: this.device(),
          milliseconds: random.pick([-1, 1]) * 10 ** (3 + random.below(8)),
        }),
      ],
    ])();
  }

  private write(): OperatorStep {
    return { kind: "write", edit: this.edit(this.onServer) };
  }

  private ofObject(step: (object: number) => OperatorStep): OperatorStep {
    return this.onServer.size === 0 ? this.write() : step(this.object(this.onServer));
  }

  private recycling(object: number): OperatorStep {
    const [recycled] = this.recycled;
    if (recycled !== undefined && this.random.chance(0.6)) {
      this.recycled.delete(recycled);
      return { kind: "restoreObject", object: recycled };
    }
    this.recycled.add(object);
    return { kind: "recycle", object };
  }

  private copying(): OperatorStep {
    if (this.hasCopy && this.random.chance(0.6)) return { kind: "restore" };
    this.hasCopy = true;
    return { kind: "backUp" };
  }

  private readersStep(object: number): OperatorStep {
    const [restricted] = this.restricted;
    if (restricted !== undefined && this.random.chance(0.4)) {
      this.restricted.delete(restricted);
      return { kind: "readers", object: restricted, readers: null };
    }
    this.restricted.add(object);
    return { kind: "readers", object, readers: this.readers() };
  }

  private readers(): readonly Reader[] {
    const { random } = this;
    const all: Reader[] = Array.from({ length: users }, (_, user): Reader => `user ${user}`);
    return random.some([...all, ...Array.from({ length: groups }, (_, group): Reader => `group ${group}`)], 0.3);
  }

  private groupsOrAll(): readonly number[] | null {
    return this.random.chance(0.4)
      ? null
      : this.random.some(
          Array.from({ length: groups }, (_, group) => group),
          0.4,
        );
  }

  private member(): OperatorStep {
    const { random } = this;
    return { kind: "member", user: random.below(users), group: random.below(groups), member: random.chance(0.6) };
  }

  private rights(): OperatorStep {
    const { random } = this;
    const permissions = random.weighted<readonly Permission[]>([
      [3, ["read", "create", "write", "delete"]],
      [2, ["read"]],
      [1, []],
    ]);
    const className = random.pick<ClassName>(["Customer", "KeyCustomer", "Invoice"]);
    return { kind: "rights", className, group: random.below(groups), permissions };
  }

  private schemaChange(): SchemaChange {
    const { random } = this;
    return random.weighted<() => SchemaChange>([
      [2, () => ({ fields: random.chance(0.5) ? null : ["Name", "City"] })],
      [3, () => ({ without: random.chance(0.4) ? null : random.pick(cities) })],
      [2, () => ({ conflicts: random.pick(["client", "server", "reject"] as const) })],
      [1, () => ({ classes: random.chance(0.5) ? ["Customer", "Invoice"] : ["Customer"] })],
      [2, () => ({ pageSize: random.pick([1, 2, 3, 500]) })],
    ])();
  }
}

/** Parts of the unit interval that a choice distinguishes. */
const precision = 2 ** 30;

class Choices {
  constructor(private readonly random: fc.Random) {}

  /** An integer below the bound. */
  below(bound: number): number {
    return this.random.nextInt(0, bound - 1);
  }

  chance(probability: number): boolean {
    return this.below(precision) < probability * precision;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T;
  }

  /** One of the choices, each as often as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let rest = (this.below(precision) / precision) * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      rest -= weight;
      if (rest < 0) return choice;
    }
    return (choices.at(-1) as readonly [number, T])[1];
  }

  /** Some of the items, in their order. */
  some<T>(items: readonly T[], probability: number): T[] {
    return items.filter(() => this.chance(probability));
  }
}
