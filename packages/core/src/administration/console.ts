import { type RandomSource, type RecordKind, type Repositories, ServiceError } from "@sallyport/storage";
import {
  administrationAppName,
  administrationIdleTimeout,
  administrationRightsOf,
  type AuthenticationAttempt,
  builtInAppKey,
  type ConsoleKey,
  consoleSessionKey,
  consoleTicketKey,
  createConsoleKey,
  type LogInServices,
  replaceRestingSession,
} from "../access/index.ts";
import {
  type AdministrationContext,
  type AppKeyContext,
  appKeyEvent,
  changesBetween,
  type RequestContext,
  type Uses,
} from "../request/index.ts";
import type { AdministratorContext } from "./administrators.ts";

/** Milliseconds for which a ticket can be traded. */
const ticketLifetime = 5 * 60_000;

/** Characters, each of 6 bits. With it, a link fits on a line of a terminal. */
const ticketLength = 22;

/** Tickets by their SHA-256. */
const consoleTickets: RecordKind<true> = "consoleTicket";

/** Returns the text of a ticket. */
export function newTicket(random: RandomSource): string {
  return random.secret().slice(0, ticketLength);
}

/** Issues a ticket for the console of the database. Only its digest is stored. */
export async function issueConsoleTicket(
  context: AdministrationContext & Uses<{ readonly random: RandomSource }>,
): Promise<string> {
  const { unit, eventOf, database, services } = context;
  const ticket = newTicket(services.random);
  await unit.transaction(async (r) => {
    await r.records.put(consoleTickets, database.digests.sha256(ticket), true, { lifetime: ticketLifetime });
    await r.audit.append(eventOf({ type: "consoleTicket.issued" }));
  });
  return ticket;
}

/**
 * Trades a ticket for an app key of scope `admin`, once. Failures count as those of log-ins. Unknown, used or expired
 * ticket, and lockout: 302.
 */
export async function tradeConsoleTicket(
  context: RequestContext & Uses<LogInServices>,
  ticket: string,
): Promise<ConsoleKey> {
  const { database, origin, r, services } = context;
  const digest = database.digests.sha256(ticket);
  const ofConsole = { ...context, appKey: await builtInAppKey(r) };
  // The end of the key is computed in the transaction, which may not ask the storage for the time.
  await database.clock.measure();
  return services.gate.guard(ofConsole, {
    userKey: consoleTicketKey(origin.network),
    refusal: { code: 302, type: "consoleTicket.refused" },
    userId: null,
    prove: async () => (await r.records.get(consoleTickets, [digest])).length > 0 || null,
    consume: async (inside) => {
      if ((await inside.records.take(consoleTickets, digest)) === null) throw new ServiceError(302);
    },
    act: (inside) => issueConsoleKey(ofConsole, inside),
  });
}

/** Creates an app key of scope `admin` for a console. Call it in a transaction, after the clock was measured. */
export async function issueConsoleKey(
  context: AppKeyContext & Uses<{ readonly random: RandomSource }>,
  inside: Repositories,
): Promise<ConsoleKey> {
  const created = await createConsoleKey(inside, context.database, context.services.random);
  const changes = changesBetween(null, { name: created.name, scope: "admin" });
  const event = appKeyEvent(context, { type: "appKey.created", outcome: 0, changes });
  await inside.audit.append({ ...event, appKeyId: created.id });
  return created;
}

/**
 * Opens a session of the administrator for the routes of applications. It rests on that of the request and replaces the
 * former one. Ban: 318. App rule of administration: 403. Lockout of the address: 302.
 */
export async function openConsoleSession(context: AdministratorContext & Uses<LogInServices>): Promise<string> {
  const { database, principal, r, services, session, sessionDigest: restsOn } = context;
  const { userId } = principal;
  const { sessions } = database.policy;
  const attempt: AuthenticationAttempt = {
    mode: "session",
    userKey: consoleSessionKey(userId),
    account: { id: userId },
    proof: async () => {
      const { account, user, linked } = await r.accounts.find({ id: userId }, []);
      if (account === null || user === null || account.disabled) return null;
      if ((await administrationRightsOf(r, account)) === null) return null;
      return { account, user, linked, authenticationMethod: session.authenticationMethod };
    },
    appNames: [administrationAppName],
    deviceId: null,
    administration: true,
    restsOn,
    policy: { idleTimeout: administrationIdleTimeout(sessions), limit: 0, perUserLimit: 0 },
    consume: (inside, digest) =>
      replaceRestingSession(inside, { restsOn, digest, lifetime: sessions.absoluteLifetime }),
  };
  const ofConsole = { ...context, appKey: await builtInAppKey(r) };
  const { sessionId } = await services.gate.openSession(ofConsole, attempt, async () => null);
  return sessionId;
}
