import {
  type ErrorCode,
  errorEntry,
  type Finding,
  nextSteps,
  type Repositories,
  type SessionMode,
} from "@sallyport/storage";
import {
  type RequestCheck,
  requestChecks,
  refusalKind,
  type StoredFailure,
  type StoredItem,
  type StoredRefusal,
} from "./refusals.ts";

/** A check, its question and what it found. */
export interface ExplainedStep {
  readonly asked: string;
  readonly found: string;
}

interface ExplainedFailure {
  readonly code: ErrorCode;
  readonly status: number;
  /** `statusMessage` of the response. */
  readonly name: string;
  /** In order. The last one refused. */
  readonly steps: readonly ExplainedStep[];
  /** Next steps for the caller or the operator, in sentences. */
  readonly nextSteps: readonly string[];
}

/** Why a request was refused. */
export interface Explanation {
  readonly requestId: string;
  /** Time of the response, milliseconds since 1970 by the storage's clock. */
  readonly at: number;
  readonly method: string;
  /** Pattern of the route. */
  readonly route: string;
  readonly network: string;
  readonly appKey: string | null;
  readonly mode: SessionMode | null;
  /** Login name of the account, or its id if the account was removed. */
  readonly user: string | null;
  /** `null` if only items of a multi request failed. */
  readonly failure: ExplainedFailure | null;
  /** The first failed items of a multi request. */
  readonly items: readonly (ExplainedFailure & Pick<StoredItem, "index" | "method" | "route">)[];
}

interface ExplainContext {
  readonly r: Pick<Repositories, "records" | "accounts">;
}

/** Explains refused requests. `null` if no refusal with this request id is stored. */
export async function explainRefusal({ r }: ExplainContext, requestId: string): Promise<Explanation | null> {
  const [record] = await r.records.get(refusalKind, [requestId]);
  if (record === undefined) return null;
  const { value, owner, createdAt } = record;
  const { method, route, appKey, mode, accountId, failure, items, delay } = value;
  const account = accountId === null ? null : (await r.accounts.find({ id: accountId }, [])).account;
  const user = account?.loginName ?? accountId;
  return {
    requestId,
    at: createdAt - delay,
    method,
    route,
    network: owner ?? "",
    appKey,
    mode,
    user,
    failure: failure === null ? null : explainedFailure(failure, stepsOf(value, failure, user)),
    items: items.map(({ findings, ...item }) => ({
      ...item,
      ...explainedFailure(item, findings.map(stepOf)),
    })),
  };
}

function explainedFailure({ code }: Pick<StoredFailure, "code">, steps: readonly ExplainedStep[]): ExplainedFailure {
  const { status, name } = errorEntry(code);
  return { code, status, name, steps, nextSteps: nextSteps(code) };
}

/** The checks before the refusing one have passed. */
function stepsOf({ check, appKey, mode }: StoredRefusal, failure: StoredFailure, user: string | null): ExplainedStep[] {
  const names = Object.keys(requestChecks) as RequestCheck[];
  const passed = names.slice(0, check === null ? 0 : names.indexOf(check)).flatMap((name): ExplainedStep[] => {
    const asked = requestChecks[name];
    switch (name) {
      case "preflight":
        return [];
      case "appKey":
        return [{ asked, found: appKey === null ? "The route needs none." : `Yes, the app key "${appKey}".` }];
      case "session":
        return [
          { asked, found: mode === null ? "The route needs none." : `Yes, mode ${mode}, user "${user ?? "unknown"}".` },
        ];
      case "channel":
      case "message":
        return mode === "secure" ? [{ asked, found: "Yes." }] : [];
      case "enrolment":
        return mode === null ? [] : [{ asked, found: "Yes." }];
      default:
        return [{ asked, found: "Yes." }];
    }
  });
  const { name } = errorEntry(failure.code);
  const findings = failure.findings.length > 0 ? failure.findings.map(stepOf) : [];
  if (check !== null && findings.length === 0) findings.push({ asked: requestChecks[check], found: `No: ${name}.` });
  return [...passed, ...findings];
}

function stepOf({ asked, found }: Finding): ExplainedStep {
  return { asked, found };
}
