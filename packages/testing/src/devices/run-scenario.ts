import { SallyportError, TransportError } from "@sallyport/client";
import { shiftClocks } from "./device-clock.ts";
import { Device, type DeviceParts, usualParts } from "./device.ts";
import { Crash, type Exchange } from "./network.ts";
import { Operator, wireFields } from "./operator.ts";
import { accountForEdits, compareDevice, compareHistory, type Debt } from "./oracle/final-state.ts";
import { same } from "./oracle/history.ts";
import { type Violation, Witness } from "./oracle/witness.ts";
import { Scene } from "./scene.ts";
import type { DeviceStep, OperatorStep, Scenario, Step, SyncStep } from "./scenario.ts";
import type { World } from "./world.ts";

/** Rounds in which all devices synchronize until nothing moves any more. */
const maxRounds = 10;
const switchedOff = 717;

const scenes = new WeakMap<World, Promise<Scene>>();

/** Runs a scenario and returns its violations. It deletes all simulated objects of the world before. */
export async function runScenario(
  scenario: Scenario,
  world: World,
  parts: Partial<DeviceParts> = {},
): Promise<readonly Violation[]> {
  const opening = scenes.get(world) ?? Scene.open(world);
  scenes.set(world, opening);
  const restoreClocks = shiftClocks();
  try {
    const run = new Run(scenario, await opening, { ...usualParts, ...parts });
    return await run.violations();
  } finally {
    restoreClocks();
  }
}

class Run {
  private readonly operator: Operator;
  private readonly witness: Witness;
  private readonly devices: readonly Device[];
  private readonly debts: Debt[] = [];
  private readonly prefix = crypto.randomUUID().slice(0, 8);
  private moment = 0;
  /** Rises when a restore begins and when it ends. */
  private era = 0;
  /** Steps of the administrator happen one after the other. */
  private administration: Promise<void> = Promise.resolve();
  private readonly uuidOf = (object: number) =>
    `${this.prefix}-0000-4000-8000-${object.toString(16).padStart(12, "0")}`;
  private readonly nameOf = (uuid: string) =>
    uuid.startsWith(this.prefix) ? `#${Number.parseInt(uuid.slice(-12), 16)}` : uuid;

  constructor(
    private readonly scenario: Scenario,
    private readonly scene: Scene,
    parts: DeviceParts,
  ) {
    this.operator = new Operator(scene, this.uuidOf);
    this.witness = new Witness(this.operator.access, this.operator.history, this.nameOf);
    this.devices = scenario.devices.map((user) => new Device(scene, user, parts));
  }

  async violations(): Promise<readonly Violation[]> {
    await this.scene.clear();
    try {
      for (const step of this.scenario.steps) await this.take(step);
      await this.comeToRest();
    } finally {
      await this.operator.reset();
    }
    return this.witness.violations;
  }

  private async take(step: Step): Promise<void> {
    if (step.kind === "edit") return this.edit(step);
    if (step.kind === "sync") return void (await this.synchronize(step));
    if (step.kind === "together") return void (await Promise.all(step.syncs.map((each) => this.synchronize(each))));
    return this.operate(step);
  }

  private async edit({ device: number, edit }: DeviceStep): Promise<void> {
    const device = this.deviceOf(number);
    const uuid = this.uuidOf(edit.object);
    this.moment += 1;
    if (edit.kind === "remove") return device.remove(uuid, this.moment);
    const fields = wireFields(edit.fields, this.uuidOf);
    if (edit.kind === "create") return device.create(uuid, edit.className, fields, this.moment);
    return device.change(uuid, fields, this.moment, same);
  }

  private async synchronize(step: SyncStep): Promise<boolean> {
    const { device: number, server = 0, faults = [], during = [], crash } = step;
    const { servers } = this.scene.world;
    const isDisturbed = faults.length > 0 || this.isKilling(step);
    const device = this.deviceOf(number);
    const plan = {
      send: servers[server % servers.length] as typeof fetch,
      faults,
      kill: () => this.operate({ kind: "kill", server }),
      interrupt: async (request: number) => {
        for (const each of during) if ("request" in each && each.request === request) await this.take(each.step);
      },
      watch: (request: Exchange["request"]) => this.watch(number, request),
    };
    try {
      const report = await device.synchronize(plan, crash, async (call) => {
        for (const each of during) if ("call" in each && each.call === call) await this.take(each.step);
      });
      const { pulled, pushed, deleted, excluded, restarted } = report;
      return pulled + pushed + deleted + excluded + restarted === 0;
    } catch (error) {
      const isExpected =
        error instanceof Crash ||
        (error instanceof SallyportError && error.code === switchedOff) ||
        (error instanceof TransportError && isDisturbed);
      if (!isExpected) this.witness.add("failure", { device: number }, `cannot synchronize: ${described(error)}`);
      return false;
    }
  }

  private watch(number: number, request: Exchange["request"]): (exchange: Exchange) => void {
    const { access } = this.operator;
    const [from, era] = [access.oldest, this.era];
    this.witness.announce(request, { device: number });
    return (exchange) => {
      this.moment += 1;
      const isOutdated = era !== this.era || this.era % 2 === 1;
      this.witness.note(exchange, {
        device: number,
        user: this.deviceOf(number).user,
        from,
        isOutdated,
        moment: this.moment,
      });
    };
  }

  private operate(step: OperatorStep): Promise<void> {
    if (step.kind === "clock") {
      this.deviceOf(step.device).clock += step.milliseconds;
      return Promise.resolve();
    }
    const { operator } = this;
    const done = this.administration.then(() => (step.kind === "restore" ? this.restore() : operator.take(step)));
    this.administration = done.catch(() => undefined);
    return done;
  }

  private async restore(): Promise<void> {
    const { operator } = this;
    if (!operator.canRestore) return;
    const held = await Promise.all(this.devices.map((device) => device.entries()));
    this.era += 1;
    const lost = await operator.restore();
    this.witness.restored();
    this.era += 1;
    this.moment += 1;
    for (const { device, uuid, fields } of lost) {
      if (device === null || fields === null) continue;
      const { server: copy = null, pending = [] } = held[device]?.find((entry) => entry.uuid === uuid) ?? {};
      // The user has replaced a value by an edit that waits.
      const isReplaced = (field: string) => pending.some((edit) => Object.hasOwn(edit.fields, field));
      for (const [field, value] of Object.entries(fields))
        if (copy !== null && same(copy[field], value) && !isReplaced(field))
          this.debts.push({ device, uuid, field, value, moment: this.moment });
    }
  }

  /** Synchronizes all devices until nothing moves any more, and checks the result. */
  private async comeToRest(): Promise<void> {
    const { operator, witness, devices } = this;
    if (!operator.isEnabled) await operator.setEnabled(true);
    let isQuiet = false;
    const failures = witness.violations.length;
    for (let round = 0; round < maxRounds && !isQuiet && witness.violations.length === failures; round += 1) {
      isQuiet = true;
      await this.scene.settle();
      for (const device of devices.keys()) if (!(await this.synchronize({ kind: "sync", device }))) isQuiet = false;
    }
    for (const [number, device] of devices.entries()) {
      if (!isQuiet) witness.add("restless", { device: number }, `does not come to rest in ${maxRounds} rounds`);
      const complain = (kind: Violation["kind"], message: string) => witness.add(kind, { device: number }, message);
      await compareDevice(device, operator, this.nameOf, complain);
      const { debts, nameOf } = this;
      await accountForEdits(device, { number, answers: witness.answers, debts, nameOf }, complain);
    }
    await compareHistory(this.scene.client, operator, this.nameOf, (kind, message) =>
      witness.report(kind, `${message}.`),
    );
  }

  private deviceOf(number: number): Device {
    return this.devices[number] as Device;
  }

  /** Whether a server ends or the database is replaced during the step. */
  private isKilling(step: SyncStep): boolean {
    const kinds = ["kill", "restore"];
    const within = ({ faults = [], during = [] }: SyncStep) =>
      faults.includes("killed") || during.some(({ step: inner }) => kinds.includes(inner.kind));
    return this.scenario.steps.some(
      (each) =>
        (each === step && within(step)) ||
        (each.kind === "together" && each.syncs.includes(step) && each.syncs.some(within)),
    );
  }
}

function described(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : "";
  return error instanceof Error ? `${error.name}: ${error.message}${cause}` : String(error);
}
