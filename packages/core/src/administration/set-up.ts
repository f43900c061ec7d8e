import { type Digest, type RandomSource, type RecordKind, ServiceError } from "@sallyport/storage";
import {
  addUser,
  type ConsoleKey,
  consoleTicketKey,
  type CreateUserInput,
  type LogInServices,
  type PasswordServices,
} from "../access/index.ts";
import {
  type AdministrationContext,
  appKeyEvent,
  type ChangeToAudit,
  type RequestContext,
  type Uses,
} from "../request/index.ts";
import { noAppKey } from "./administrators.ts";
import { issueConsoleKey, newTicket } from "./console.ts";

/** Milliseconds for which a ticket of the set-up can be used. */
const ticketLifetime = 3_600_000;

/** SHA-256 of the ticket of the set-up. A database has one record, so a new ticket ends the former. */
const setUpTickets: RecordKind<Digest> = "setUpTicket";
const onlyId = "only";

/** Whether the database has no users. */
export async function needsSetUp({ r: { accounts } }: Pick<AdministrationContext, "r">): Promise<boolean> {
  return (await accounts.list("database", null, 1)).length === 0;
}

/** Issues the ticket of the set-up and ends the former one. Only its digest is stored. `null`: the database has users. */
export async function issueSetUpTicket(
  context: AdministrationContext & Uses<{ readonly random: RandomSource }>,
): Promise<string | null> {
  const { unit, eventOf, database, services } = context;
  const ticket = newTicket(services.random);
  return unit.transaction(async (r) => {
    if (!(await needsSetUp({ r }))) return null;
    await r.records.put(setUpTickets, onlyId, database.digests.sha256(ticket), { lifetime: ticketLifetime });
    await r.audit.append(eventOf({ type: "setUpTicket.issued" }));
    return ticket;
  });
}

export interface SetUpInput extends Required<Pick<CreateUserInput, "name" | "password" | "email">> {
  readonly ticket: string;
}

/**
 * Creates the first administrator of a database, and an app key of scope `admin` for the console. Of concurrent calls, one
 * succeeds. Failures count as those of log-ins. Unknown, used or expired ticket, a database with users, and lockout: 302.
 * Other refusals, which do not use up the ticket: see `createUser`.
 */
export async function setUp(
  context: RequestContext & Uses<LogInServices & Omit<PasswordServices, "settings">>,
  { ticket, ...administrator }: SetUpInput,
): Promise<ConsoleKey> {
  const { database, origin, r: outside, services } = context;
  const { clock, digests } = database;
  const digest = digests.sha256(ticket);
  const caller = { ...context, appKey: noAppKey };
  const eventOf = (change: ChangeToAudit) => ({ ...appKeyEvent(caller, { type: change.type, outcome: 0 }), ...change });
  // The key gets its end in the transaction.
  await clock.measure();
  return services.gate.guard(caller, {
    // Strangers elsewhere cannot lock out those who have a ticket.
    userKey: consoleTicketKey(origin.network),
    refusal: { code: 302, type: "setUpTicket.refused" },
    userId: null,
    prove: async () => {
      const [issued] = await outside.records.get(setUpTickets, [onlyId]);
      return issued?.value === digest || null;
    },
    // One of concurrent calls takes the record. The others wait here, and find none.
    consume: async (r) => {
      if ((await r.records.take(setUpTickets, onlyId)) !== digest || !(await needsSetUp({ r })))
        throw new ServiceError(302);
    },
    act: async (r) => {
      const input = { ...administrator, rights: "all", groups: [], createsGroups: false } as const;
      await addUser({ ...context, r, eventOf }, input);
      return issueConsoleKey(caller, r);
    },
  });
}
