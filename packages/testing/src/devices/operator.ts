import { SallyportError, versionOf } from "@sallyport/client";
import { AccessModel, type AccessState } from "./oracle/access-model.ts";
import { History, type Write } from "./oracle/history.ts";
import { initialAccess, initialSchema, references, type Scene, wireName } from "./scene.ts";
import type { Edit, Fields, OperatorStep, Reader, SchemaChange } from "./scenario.ts";

/** Executes the steps of the administrator, and notes what the server confirms. */
export class Operator {
  readonly access = new AccessModel(initialAccess);
  readonly history = new History();
  schema: Required<SchemaChange> = initialSchema;
  isEnabled = true;
  private copy: { readonly schema: Required<SchemaChange>; readonly isEnabled: boolean } | null = null;

  constructor(
    private readonly scene: Scene,
    private readonly uuidOf: (object: number) => string,
  ) {}

  async take(step: Exclude<OperatorStep, { readonly kind: "clock" | "restore" }>): Promise<void> {
    const { scene, access } = this;
    const { world } = scene;
    switch (step.kind) {
      case "write":
        return void (await accepted(() => this.write(step.edit)));
      case "recycle":
        return void (await accepted(() => this.remove(this.uuidOf(step.object), true)));
      case "restoreObject":
        return void (await accepted(async () => {
          const uuid = this.uuidOf(step.object);
          const object = await scene.client.restoreObject(uuid);
          this.history.add({ uuid, version: numberOf(versionOf(object)), fields: {}, device: null });
        }));
      case "readers":
        return this.setReaders(this.uuidOf(step.object), step.readers);
      case "member": {
        const groups = new Set(access.current.members[step.user]);
        if (step.member) groups.add(step.group);
        else groups.delete(step.group);
        const members = access.current.members.with(step.user, groups);
        return this.changeAccess({ members }, (next) => scene.setMembers(step.user, next));
      }
      case "rights": {
        const ofClass = new Map(access.current.rights.get(step.className)).set(step.group, step.permissions);
        const rights = new Map(access.current.rights).set(step.className, ofClass);
        return this.changeAccess({ rights }, (next) => scene.setClass(step.className, next));
      }
      case "attribute": {
        const attributes = new Map(access.current.attributes);
        if (step.groups === null) attributes.delete(step.attribute);
        else attributes.set(step.attribute, step.groups);
        return this.changeAccess({ attributes }, (next) => scene.setClass("Customer", next));
      }
      case "schema":
        return this.setSchema({ ...this.schema, ...step.change });
      case "switch":
        return this.setEnabled(step.enabled);
      case "kill":
        return world.kill?.(step.server % world.servers.length);
      case "backUp":
        return this.backUp();
      default:
        throw new TypeError(`Unknown step: ${JSON.stringify(step)}`);
    }
  }

  async setSchema(schema: Required<SchemaChange>): Promise<void> {
    if (await accepted(() => this.scene.setSchema(schema))) this.schema = schema;
  }

  async setEnabled(enabled: boolean): Promise<void> {
    await this.scene.setEnabled(enabled);
    this.isEnabled = enabled;
  }

  /** Whether there is a copy of the database. */
  get canRestore(): boolean {
    return this.copy !== null;
  }

  /** Returns to the last copy of the database, and the writes that are lost with it. */
  async restore(): Promise<readonly Write[]> {
    const { copy } = this;
    if (copy === null) return [];
    await this.access.change(this.access.copy, async () => {
      await this.scene.world.restore?.();
      return true;
    });
    this.schema = copy.schema;
    this.isEnabled = copy.isEnabled;
    return this.history.restore();
  }

  /** Returns to the initial groups, rights and schema. */
  async reset(): Promise<void> {
    const { access } = this;
    for (const [user, groups] of initialAccess.members.entries())
      if (text(groups) !== text(access.current.members[user])) await this.scene.setMembers(user, initialAccess);
    for (const [className, rights] of initialAccess.rights) {
      const isSame = text(rights) === text(access.current.rights.get(className));
      if (!isSame || (className === "Customer" && access.current.attributes.size > 0))
        await this.scene.setClass(className, initialAccess);
    }
    if (!this.isEnabled) await this.setEnabled(true);
    await this.setSchema(initialSchema);
  }

  private async changeAccess(change: Partial<AccessState>, apply: (next: AccessState) => Promise<void>): Promise<void> {
    const next = { ...this.access.current, ...change };
    await this.access.change(next, () => accepted(() => apply(next)));
  }

  private async write(edit: Edit): Promise<void> {
    const { client } = this.scene;
    const uuid = this.uuidOf(edit.object);
    if (edit.kind === "remove") return this.remove(uuid, false);
    const fields = wireFields(edit.fields, this.uuidOf);
    if (edit.kind === "change") {
      const object = await client.updateObject(uuid, fields);
      this.history.add({ uuid, version: numberOf(versionOf(object)), fields, device: null });
      return;
    }
    this.access.add(uuid, edit.className);
    const created = await this.scene.create(wireName(edit.className), uuid, fields);
    if (created !== null) this.history.add({ uuid, ...created, fields, device: null });
  }

  private async remove(uuid: string, recycle: boolean): Promise<void> {
    const { client } = this.scene;
    const before = await client.getObject(uuid);
    await client.deleteObject(uuid, { recycle, ifMatch: before });
    // Between the last version and that of a restored object.
    this.history.add({ uuid, version: numberOf(versionOf(before)) + 0.5, fields: null, device: null });
  }

  private async setReaders(uuid: string, list: readonly Reader[] | null): Promise<void> {
    const readers = new Map(this.access.current.readers);
    if (list === null) readers.delete(uuid);
    else readers.set(uuid, list);
    const ids = list?.map((reader) => this.idOf(reader)) ?? null;
    await this.changeAccess({ readers }, async () => void (await this.scene.client.setReaders(uuid, ids)));
  }

  private idOf(reader: Reader): string {
    const [kind, number] = reader.split(" ");
    const ids = kind === "user" ? this.scene.userIds : this.scene.groupIds;
    return ids[Number(number)] as string;
  }

  private async backUp(): Promise<void> {
    const { world } = this.scene;
    if (world.backUp === undefined || world.restore === undefined) return;
    await world.backUp();
    this.access.backUp();
    this.history.backUp();
    this.copy = { schema: this.schema, isEnabled: this.isEnabled };
  }
}

/** Fields as the server takes them. */
export function wireFields(fields: Fields, uuidOf: (object: number) => string): Record<string, unknown> {
  const reference = (name: string) => ({ "~UUID": uuidOf(Number(name.slice(1))) });
  const wire = ([name, value]: [string, Fields[string]]) => {
    if (!references.has(name) || value === null) return [name, value] as const;
    return [name, Array.isArray(value) ? value.map(reference) : reference(String(value))] as const;
  };
  return Object.fromEntries(Object.entries(fields).map(wire));
}

/** Whether the server accepted the request. */
async function accepted(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof SallyportError && error.httpStatus < 500) return false;
    // A reference that refuses the deletion; a creation while synchronization is disabled.
    if (error instanceof SallyportError && (error.code === 718 || error.code === 717)) return false;
    throw error;
  }
}

/** The number in an `ETag`. */
function numberOf(etag: string | undefined): number {
  return Number(etag?.replaceAll('"', ""));
}

/** Sets and maps as comparable text. */
function text(value: Iterable<unknown> | undefined): string {
  return JSON.stringify([...(value ?? [])].map((each) => JSON.stringify(each)).toSorted());
}
