import {
  type AppNameChange,
  type ExpectedRecord,
  explained,
  isStorableText,
  type Repositories,
  ServiceError,
} from "@sallyport/storage";
import { type SessionContext, sessionEvent, type Uses } from "../../request/index.ts";
import { type Application, findApplications, seatLimits } from "../appkeys/applications.ts";
import { seatFindings } from "../gate/gate-findings.ts";
import { sessionUserKey } from "../gate/user-keys.ts";
import {
  type FactorCheck,
  type FactorUser,
  withSecondFactors,
  checkSecondFactors,
} from "../second-factors/check-second-factors.ts";
import { refuseJoined, seatChange } from "../licences/licence-messages.ts";
import { AccessCheck } from "../rules/access-check.ts";
import { acceptAppNames, refuseDuplicates } from "./app-names.ts";
import type { GateServices } from "../gate/authentication-attempt.ts";
import type { LogInServices } from "../gate/gate.ts";

export interface ReserveSeatsInput {
  readonly appNames: readonly string[];
  /** A token or a recovery code, or several separated by commas. `null` or blank: none. */
  readonly token: string | null;
}

/**
 * Reserves app names for a session, after the checks that a log-in makes for its names. All names are reserved, or
 * none. Names that the session has already need no check. Unknown name, or not allowed for the app key: 208. Duplicate:
 * 210. Ban: 318. Forbidden app name: 403. Second factors: 340 to 342, and a wrong token counts as in a log-in. No free
 * seat: 306. Session ended: 201 or 203. A required licence message cannot be sent: 711.
 */
export async function reserveSeats(
  context: SessionContext & Uses<Pick<LogInServices, "gate" | "factorProofs" | "licenceMessages">>,
  { appNames, token }: ReserveSeatsInput,
): Promise<void> {
  await acceptAppNames(context, appNames);
  const { session } = context;
  const names = appNames.filter((name) => !session.appNames.includes(name) && !session.reservedNames.includes(name));
  if (names.length === 0) return;
  const applications = await findApplications(context.r.records, names);
  try {
    await reserveChecked(context, applications, token);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 306) explained(error, seatFindings(seatLimits(applications)));
    if (error instanceof ServiceError && refusals.has(error.code)) {
      const event = sessionEvent(context, { type: "seats.refused", outcome: error.code, appNames: names });
      await context.unit.autonomously((r) => r.audit.append(event));
    }
    throw error;
  }
}

async function reserveChecked(
  context: SessionContext & Uses<Pick<LogInServices, "gate" | "factorProofs" | "licenceMessages">>,
  applications: readonly Application[],
  token: string | null,
): Promise<void> {
  const { session, sessionDigest, principal, unit } = context;
  const reserve = applications.map(({ name }) => name);
  const guarded = withSecondFactors(applications);
  const { authenticationMethod } = session;
  const user: FactorUser = { userId: principal.userId, authenticationMethod, except: sessionDigest };
  const { userId, groups } = principal;
  const { network } = context.origin;
  const visit = { userId, groups, deviceId: session.deviceId, network, appNames: reserve };
  const access = new AccessCheck(context.database, visit);
  if (guarded.length > 0 || access.needsRead) await access.read(context.r);
  const check = () => checkSecondFactors(context, { secondFactor: { token } }, user, guarded);
  const report = context.services.licenceMessages.report(context, seatChange(context, "seats.reserved", reserve));
  refuseJoined(context, report);
  const limits = seatLimits(applications);
  const actOn = (basis: readonly ExpectedRecord[]) => async (r: Repositories) => {
    await changeAppNames(context, r, { reserve, limits, basis });
    await report?.queueToConfirm(r);
  };
  const undo = (r: Repositories) => r.sessions.changeAppNames(sessionDigest, { release: reserve });
  if (guarded.length === 0 || !token) {
    await check();
    await access.whileUnchanged(context.r, (basis) => unit.attempt(() => unit.transaction(actOn(basis))));
    await report?.confirm(undo);
    return;
  }
  const userKey = await sessionUserKey(context);
  await access.whileUnchanged(context.r, (basis) =>
    context.services.gate.guard(context, {
      userKey,
      counter: "factor",
      refusal: { code: 342, type: "seats.refused" },
      userId: principal.userId,
      prove: () => unlessWrong(check()),
      consume: async (r, proven) => {
        if (proven.kind === "proven") await proven.consume(r);
      },
      act: actOn(basis),
    }),
  );
  await report?.confirm(undo);
}

/** Refusals to audit. The gate audits those of tokens. */
const refusals: ReadonlySet<number> = new Set([306, 318, 340, 341, 403, 711]);

/** Resolves to `null` for a wrong token. */
async function unlessWrong(check: Promise<FactorCheck>): Promise<FactorCheck | null> {
  try {
    return await check;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 342) return null;
    throw error;
  }
}

/**
 * Releases app names of a session, those of its log-in included. All names are released, or none. Duplicate: 210. The
 * session lacks a name: 323. Session ended: 201 or 203. A required licence message cannot be sent: 711.
 */
export async function releaseSeats(
  context: SessionContext & Uses<Pick<GateServices, "licenceMessages">>,
  appNames: readonly string[],
): Promise<void> {
  refuseDuplicates(appNames);
  // The storage would refuse such a name for another reason.
  if (!appNames.every(isStorableText)) throw new ServiceError(323);
  const { session, unit, database } = context;
  const report = context.services.licenceMessages.report(context, seatChange(context, "seats.released", appNames));
  refuseJoined(context, report);
  const release = () =>
    unit.transaction(async (r) => {
      await changeAppNames(context, r, { release: appNames });
      if (report !== null && !report.required) await report.queue(r);
    });
  if (report?.required) {
    const ownNames = [...session.appNames, ...session.reservedNames];
    if (!appNames.every((name) => ownNames.includes(name))) throw new ServiceError(323);
    // Another session could take the seat at once, so a release could not be undone.
    await report.announce(await database.clock.now(unit), release);
    return;
  }
  await release();
  report?.notify();
}

async function changeAppNames(context: SessionContext, r: Repositories, change: AppNameChange): Promise<void> {
  const outcome = await r.sessions.changeAppNames(context.sessionDigest, change);
  if (outcome === "ended") throw new ServiceError(context.sessionEndedCode);
  if (outcome === "notHeld") throw new ServiceError(323);
  const [type, appNames] =
    "reserve" in change ? (["seats.reserved", change.reserve] as const) : (["seats.released", change.release] as const);
  await r.audit.append(sessionEvent(context, { type, appNames }));
}
