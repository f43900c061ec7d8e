import {
  type Digests,
  type JsonValue,
  passwordSession,
  type RandomSource,
  type Repositories,
} from "@sallyport/storage";
import {
  Applications,
  type BrokenModule,
  type Database,
  isMacroName,
  JoinedUnit,
  OwnUnit,
  type SessionContext,
  withScopes,
  executeMacro,
  type MacroServices,
  type Uses,
} from "@sallyport/core";
import { didYouMean } from "@sallyport/client/terminal";
import type { RecordedRuntime, Recording } from "./recorded-runtime.ts";

/** Macro to execute, user and input. */
export interface TrialRequest {
  readonly macro: string;
  /** Log-in name. */
  readonly user: string;
  /** App names of the session; all existing ones by default. */
  readonly appNames?: readonly string[] | undefined;
  /** `undefined` stands for a request without a body. */
  readonly input: JsonValue | undefined;
  readonly skipChecker: boolean;
  /** Whether to commit the changes. */
  readonly commit: boolean;
}

/** Result of an execution. */
export interface TrialOutcome {
  readonly data: JsonValue | undefined;
  readonly message: string | undefined;
  /** The error; `undefined` on success. */
  readonly error: unknown;
  readonly recording: Recording;
  /** Total milliseconds. */
  readonly milliseconds: number;
}

interface TrialParts {
  readonly database: Database;
  readonly services: MacroServices;
  readonly runtime: RecordedRuntime;
  readonly digests: Digests;
  readonly random: RandomSource;
}

interface TrialContext extends SessionContext, Uses<MacroServices> {}

/** Rolls back the transaction of a trial. */
class RollbackSignal extends Error {}

/** Maximum number of app keys and apps that a trial reads. */
const pageSize = 500;

/** Executes macros as the server does for a user, without a password. The session ends with the execution. */
export class Trial {
  constructor(private readonly parts: TrialParts) {}

  async run(request: TrialRequest): Promise<TrialOutcome> {
    const { storage } = this.parts.database;
    if (request.commit) {
      const context = await this.open(request, storage.repositories, new OwnUnit(storage));
      try {
        return await this.execute(context, request);
      } finally {
        await storage.repositories.sessions.end({ digest: context.sessionDigest });
      }
    }
    let outcome: TrialOutcome | undefined;
    try {
      await storage.transaction(async (r, attempt) => {
        outcome = await this.execute(await this.open(request, r, new JoinedUnit(r, attempt)), request);
        throw new RollbackSignal();
      });
    } catch (error) {
      if (!(error instanceof RollbackSignal)) throw error;
    }
    return outcome as TrialOutcome;
  }

  /** Modules that failed to load. */
  async broken(): Promise<readonly BrokenModule[]> {
    const { database } = this.parts;
    const r = database.storage.repositories;
    const { settingsGeneration } = await r.admission.admit({
      appKey: null,
      session: null,
      idleTimeout: database.policy.sessions.idleTimeout,
    });
    const modules = await database.macros.current({ r, unit: new OwnUnit(database.storage), settingsGeneration });
    return [...modules.all()].filter((module) => module.kind === "broken");
  }

  private async execute(context: TrialContext, { macro, input, skipChecker }: TrialRequest): Promise<TrialOutcome> {
    const { runtime, database } = this.parts;
    // Loading the macros must not count as execution time.
    const modules = await database.macros.current(context);
    if (isMacroName(macro) && modules.find(macro) === undefined)
      throw unknownMacro(
        macro,
        [...modules.all()].map(({ name }) => name),
      );
    runtime.take();
    const startedAt = performance.now();
    const measurement = () => ({ recording: runtime.take(), milliseconds: performance.now() - startedAt });
    try {
      const { result, message } = await executeMacro(context, macro, { input, skipCheck: skipChecker });
      return { data: result, message, error: undefined, ...measurement() };
    } catch (error) {
      return { data: undefined, message: undefined, error, ...measurement() };
    }
  }

  /** Opens a session as a log-in does. */
  private async open(
    { user, appNames: requestedNames }: TrialRequest,
    r: Repositories,
    unit: SessionContext["unit"],
  ): Promise<TrialContext> {
    const { database, digests, random, services } = this.parts;
    const { account, user: object } = await r.accounts.find({ realm: "database", loginName: user }, []);
    if (account === null || object === null) throw new TrialError(`There is no user "${user}".`);
    if (account.disabled) throw new TrialError(`The user "${user}" is disabled.`);
    const appKeys = await withScopes(r, await r.appKeys.list(null, pageSize));
    const appKey = appKeys.find(({ enabled, scope }) => enabled && scope === "app");
    if (appKey === undefined)
      throw new TrialError(
        'The database has no app key that is enabled. "sallyport --local app-key create" creates one.',
      );
    const appNames = requestedNames ?? (await new Applications(r.records).list(null, pageSize)).map(({ name }) => name);
    const existing = new Set(await new Applications(r.records).existing(appNames));
    for (const name of appNames) if (!existing.has(name)) throw new TrialError(`There is no app "${name}".`);

    const sessionDigest = digests.sha256(random.secret());
    const { userId, secretVersion, administrator } = account;
    const session = passwordSession(appKey.id, userId, appNames);
    const { reservedNames: _reservedNames, enrolling: _enrolling, ...opened } = session;
    const unlimited = { ...database.policy.sessions, limit: 0, perUserLimit: 0 };
    await r.sessions.open({ ...opened, digest: sessionDigest, secretVersion }, unlimited);
    const { modelGeneration, settingsGeneration } = await r.admission.admit({
      appKey: null,
      session: null,
      idleTimeout: unlimited.idleTimeout,
    });
    const { Groups: groups } = object.attributes;
    return {
      requestId: "trial",
      origin: { address: "127.0.0.1", network: "127.0.0.1" },
      database,
      services,
      r,
      unit,
      modelGeneration,
      settingsGeneration,
      appKey,
      session,
      sessionDigest,
      appKeyDigest: "",
      sessionEndedCode: 201,
      principal: { userId, administrator, groups: Array.isArray(groups) ? groups.map(String) : [] },
    };
  }
}

function unknownMacro(macro: string, all: readonly string[]): TrialError {
  const suggestion = didYouMean(macro, all);
  const advice =
    suggestion === undefined
      ? `Available macros: ${all.toSorted().join(", ") || "none"}.`
      : `Did you mean "${suggestion}"?`;
  return new TrialError(`There is no macro "${macro}". ${advice}`);
}

/** A macro cannot be tried out. The message is for the author. */
export class TrialError extends Error {
  override readonly name = "TrialError";
}
