import { modelStatements } from "../../../sql-model-repository.ts";
import { settingsStatements } from "../../../sql-settings-repository.ts";
import { statement } from "../../../sql-runner.ts";
import { existingIndexes } from "../index-expression.ts";
import { lockStatements } from "../postgres-lock-repository.ts";
import { changeStatements } from "../stamps.ts";
import type { Tables } from "../tables.ts";
import { accountStatements } from "./account-statements.ts";
import { admissionStatements, appKeyStatements, sessionStatements } from "./admission-statements.ts";
import { auditStatements } from "./audit-statements.ts";
import { channelStatements, cipherBlockStatements } from "./channel-statements.ts";
import { deletionStatements } from "./deletion-statements.ts";
import { modelLock } from "../expressions.ts";
import { objectStatements } from "./object-statements.ts";
import { recordStatements } from "./record-statements.ts";
import { throttleStatements } from "./throttle-statements.ts";

export type Statements = ReturnType<typeof statementsOf>;

/** Each group is made on its first use: a server can have many databases that no request uses. */
export function statementsOf(tables: Tables, { position = false }: { readonly position?: boolean } = {}) {
  return onFirstUse({
    accounts: () => accountStatements(tables),
    admission: () => admissionStatements(tables, { position }),
    appKeys: () => appKeyStatements(tables),
    audit: () => auditStatements(tables),
    changes: () => changeStatements(tables),
    channels: () => channelStatements(tables),
    cipherBlocks: () => cipherBlockStatements(tables),
    settings: () => settingsStatements(tables),
    tombstones: () => deletionStatements(tables),
    /** Names of the value indexes that queries can use. */
    indexes: () => ({ ready: statement("index_ready", `${existingIndexes(tables)} and i.indisvalid`) }),
    locks: () => lockStatements(tables),
    /** Takes the exclusive model lock until the transaction ends; every writer of objects takes it shared. */
    lockModel: () => statement("model_hold", `select pg_advisory_xact_lock(${modelLock(tables)})`),
    model: () => modelStatements(tables),
    objects: () => objectStatements(tables),
    records: () => recordStatements(tables),
    sessions: () => sessionStatements(tables),
    throttle: () => throttleStatements(tables),
  });
}

/** An object whose members are made on their first use. */
function onFirstUse<Makers extends Readonly<Record<string, () => unknown>>>(makers: Makers) {
  const made = {};
  for (const [name, make] of Object.entries(makers)) {
    const get = (): unknown => {
      const value = make();
      Object.defineProperty(made, name, { value });
      return value;
    };
    Object.defineProperty(made, name, { get, configurable: true });
  }
  return made as { readonly [Name in keyof Makers]: ReturnType<Makers[Name]> };
}
