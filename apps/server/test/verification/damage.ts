import type { RecordKind, RecordValue } from "@sallyport/storage";
import type { Engine } from "../engines.ts";
import type { Scene } from "./scene.ts";

/** Damage that `verify` must name. Afterwards the database is whole again. */
export interface Damage {
  readonly about: string;
  readonly damage: (scene: Scene) => Promise<unknown>;
  readonly repair: (scene: Scene) => Promise<unknown>;
  readonly finding: RegExp;
  /** Default: all engines. */
  readonly on?: readonly Engine[];
}

/** The damages of one thing are in one list. A round takes one of each list, so that a check sees many at once. */
export type Damages = readonly (readonly Damage[])[];

type Of<Value> = Value | ((scene: Scene) => Value);

function of<Value extends string>(value: Of<Value>, scene: Scene): Value {
  return typeof value === "function" ? value(scene) : value;
}

/** Damage by a statement, and its repair by another one. */
export function bySql(
  about: string,
  { damage, repair, ...expected }: { damage: Of<string>; repair: Of<string> } & Pick<Damage, "finding" | "on">,
): Damage {
  const execute = (text: Of<string>) => (scene: Scene) => scene.sql(of(text, scene));
  return { about, damage: execute(damage), repair: execute(repair), ...expected };
}

/** A record as it was. */
export interface Kept {
  readonly owner: string | null;
  readonly value: RecordValue;
}

/** A record with another owner or value; `null`: without the record. */
export function byRecord(
  about: string,
  kind: RecordKind<unknown>,
  id: (scene: Scene) => string,
  {
    change,
    finding,
  }: { readonly change: ((kept: Kept, scene: Scene) => Partial<Kept>) | null } & Pick<Damage, "finding">,
): Damage {
  let before: Kept | undefined;
  const put = ({ r }: Scene, at: string, { owner, value }: Kept) =>
    r.records.put<RecordValue>(kind as RecordKind, at, value, { owner });
  return {
    about,
    damage: async (scene) => {
      const at = id(scene);
      [before] = await scene.r.records.get<RecordValue>(kind as RecordKind, [at]);
      if (before === undefined) throw new Error(`There is no record ${at} of the kind ${kind}.`);
      if (change === null) await scene.r.records.remove(kind, { ids: [at] });
      else await put(scene, at, { ...before, ...change(before, scene) });
    },
    repair: async (scene) => {
      if (before !== undefined) await put(scene, id(scene), before);
    },
    finding,
  };
}

/** A record too many. */
export function byNewRecord(
  about: string,
  kind: RecordKind<unknown>,
  {
    id,
    value,
    owner = null,
    finding,
  }: { readonly id: string; readonly value: RecordValue; readonly owner?: string | null } & Pick<Damage, "finding">,
): Damage {
  return {
    about,
    damage: ({ r }) => r.records.put<RecordValue>(kind as RecordKind, id, value, { owner }),
    repair: ({ r }) => r.records.remove(kind, { ids: [id] }),
    finding,
  };
}
