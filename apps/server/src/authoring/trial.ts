import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  type Digests,
  type JsonValue,
  passwordSession,
  type RandomSource,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import {
  Applications,
  type BrokenModule,
  type Database,
  isMacroName,
  JoinedUnit,
  MacroFault,
  OwnUnit,
  type SessionContext,
  withScopes,
  executeMacro,
  type MacroServices,
  type Uses,
} from "@sallyport/core";
import { didYouMean, tableLines } from "@sallyport/client/terminal";
import type { RecordedCall, RecordedRuntime, Recording } from "./recorded-runtime.ts";

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

const firstPage = 500;

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
    const began = performance.now();
    const ended = () => ({ recording: runtime.take(), milliseconds: performance.now() - began });
    try {
      const { result, message } = await executeMacro(context, macro, { input, skipCheck: skipChecker });
      return { data: result, message, error: undefined, ...ended() };
    } catch (error) {
      return { data: undefined, message: undefined, error, ...ended() };
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
    const appKeys = await withScopes(r, await r.appKeys.list(null, firstPage));
    const appKey = appKeys.find(({ enabled, scope }) => enabled && scope === "app");
    if (appKey === undefined)
      throw new TrialError(
        'The database has no app key that is enabled. "sallyport --local app-key create" creates one.',
      );
    const appNames =
      requestedNames ?? (await new Applications(r.records).list(null, firstPage)).map(({ name }) => name);
    const existing = new Set(await new Applications(r.records).existing(appNames));
    for (const name of appNames) if (!existing.has(name)) throw new TrialError(`There is no app "${name}".`);

    const sessionDigest = digests.sha256(random.secret());
    const { userId, secretVersion, administrator } = account;
    const session = passwordSession(appKey.id, userId, appNames);
    const { reservedNames: _none, enrolling: _no, ...opened } = session;
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

interface TrialReport {
  /** `data` of the response as JSON; `null` on failure. */
  readonly result: string | null;
  /** Human-readable notes. */
  readonly notes: readonly string[];
}

const maxArgumentLength = 60;

/** Formats an outcome for the macro author. `folder`: directory of the sources, or `null`. */
export function trialReport(outcome: TrialOutcome, macro: string, folder: string | null): TrialReport {
  const { data, message, error, recording, milliseconds } = outcome;
  const notes = [
    ...(error === undefined ? [] : failureLines(error, folder)),
    ...(message === undefined ? [] : [`message  ${message}`]),
    ...recording.lines.map(({ macro: from, text }) => `log      ${from === macro ? "" : `${from}: `}${text}`),
    ...callLines(recording.calls).map((line) => `call     ${line}`),
    `time     ${shown(milliseconds)} in total, ${shown(recording.cpu)} CPU`,
  ];
  return { result: error === undefined ? JSON.stringify(data ?? {}, null, 2) : null, notes };
}

/** Formats a failed execution: response code and reason. */
export function failureLines(error: unknown, folder: string | null): string[] {
  if (!(error instanceof ServiceError)) return [`error    ${String(error)}`];
  const { status, message, detail, cause } = error;
  const fault = cause instanceof MacroFault ? cause : undefined;
  if (fault !== undefined)
    return [`error    ${status}/${message}`, ...faultLines(fault, folder).map((line) => `         ${line}`)];
  return [`error    ${status}/${message}${detail === undefined ? "" : `: ${detail}`}`];
}

function callLines(calls: readonly RecordedCall[]): string[] {
  const rows = calls.map(({ depth, name, argument, milliseconds, error }) => {
    const text = argument === null || argument === undefined ? "" : JSON.stringify(argument);
    const cut = text.length > maxArgumentLength ? `${text.slice(0, maxArgumentLength)}…` : text;
    return [
      `${"  ".repeat(depth)}${name}`,
      shown(milliseconds),
      error instanceof ServiceError ? `${error.code} ${cut}` : cut,
    ];
  });
  return rows.length === 0 ? [] : tableLines(["", "", ""], rows).slice(1);
}

function shown(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
}

const endings = [".ts", ".js", ".mjs"];

/** Formats a macro fault: source file, line, column and an excerpt, as far as known. */
export function faultLines({ macro, message, line, column = 1 }: MacroFault, folder: string | null): string[] {
  const file =
    folder === null
      ? undefined
      : endings.map((ending) => join(folder, macro + ending)).find((each) => existsSync(each));
  const name = file === undefined ? macro : relative(process.cwd(), file);
  if (line === undefined) return [`${name}: ${message}`];
  const excerpt = file === undefined ? [] : faultExcerpt(readFileSync(file, "utf8"), line, column);
  return [`${name}:${line}:${column} ${message}`, ...excerpt];
}

const around = 2;

/** A line of a text (from 1) with its neighbours and a mark below the column (from 1). */
export function faultExcerpt(text: string, line: number, column: number): string[] {
  const lines = text.split(/\r?\n/);
  const first = Math.max(1, line - around);
  const last = Math.min(lines.length, line + around);
  const width = String(last).length;
  const excerpt: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const source = lines[number - 1] ?? "";
    excerpt.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${source}`.trimEnd());
    // Tabs are kept so that the mark aligns with the column.
    if (number === line)
      excerpt.push(`  ${" ".repeat(width)} | ${source.slice(0, column - 1).replaceAll(/[^\t]/g, " ")}^`);
  }
  return excerpt;
}
