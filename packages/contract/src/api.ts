import type * as z from "zod";
import {
  accessOperations,
  administrationDescriptionOperations,
  maintenanceOperations,
} from "./administration/access.ts";
import { administeredCustomUserOperations, userOperations } from "./administration/accounts.ts";
import { applicationOperations } from "./administration/applications.ts";
import { auditOperations } from "./administration/audit.ts";
import { consoleOperations } from "./administration/console.ts";
import { administeredMacroOperations, classRightsOperations, keyOperations } from "./administration/database.ts";
import { examinationOperations } from "./administration/examination.ts";
import { limitOperations } from "./administration/limits.ts";
import { administeredProviderOperations } from "./administration/providers.ts";
import { refusalOperations } from "./administration/refusals.ts";
import { ruleOperations } from "./administration/rules.ts";
import { liveSessionOperations } from "./administration/sessions.ts";
import { syncAdministrationOperations } from "./administration/synchronization.ts";
import { deletionOperations } from "./objects/deletion.ts";
import { fileOperations } from "./files.ts";
import { customUserOperations, sessionOperations } from "./log-in.ts";
import { macroOperations } from "./macros.ts";
import { modelOperations } from "./model.ts";
import { multiParameters, multiRequest, multiResponse } from "./multi.ts";
import { objectAccessOperations, objectOperations } from "./objects/objects.ts";
import { type Operation, operations } from "./operations.ts";
import { passwordOperations } from "./passwords.ts";
import { providerOperations } from "./providers.ts";
import { seatOperations } from "./seats.ts";
import { secondFactorOperations } from "./second-factor.ts";
import { descriptionOperations, serviceOperations } from "./service.ts";
import { syncOperations } from "./sync.ts";
import { viewOperations } from "./objects/views.ts";

const single = {
  service: serviceOperations,
  sessions: sessionOperations,
  seats: seatOperations,
  customUsers: customUserOperations,
  passwords: passwordOperations,
  secondFactors: secondFactorOperations,
  providers: providerOperations,
  objects: objectOperations,
  deletion: deletionOperations,
  objectAccess: objectAccessOperations,
  views: viewOperations,
  files: fileOperations,
  synchronization: syncOperations,
  macros: macroOperations,
  model: modelOperations,
  description: descriptionOperations,
} as const;

const items = operationsOf(single).filter(({ inMulti, effect }) => inMulti && effect !== "model");

/** The multi request. It can have the errors of its items. */
const multiOperations = operations("Service", {
  multi: {
    method: "POST",
    path: "/v1/multi",
    access: "session",
    inMulti: false,
    idempotent: true,
    summary: "Execute several requests",
    description: [
      "Each item is processed like a separate request with the headers of this one, except `If-Match`, which is ignored.",
      "An item sees the writes of the items before it. The response contains the result of every item, in order, even if others fail.",
      "With `atomic=true`, all items share one transaction. The first failure rolls it back, and the response has its code.",
      "Items cannot be log-ins, log-outs, keys, the API description, creations of several objects or multi requests, or, with `atomic=true`, changes to classes.",
    ].join(" "),
    query: multiParameters,
    body: { json: multiRequest, any: true },
    data: multiResponse,
    compressed: true,
    errors: [...new Set(items.flatMap(({ errors }) => errors))],
  },
});

/** The operations of a database by group, in the order of the API description. */
export const databaseOperations = { ...single, multi: multiOperations } as const;

/** The operations for administrators of a database by group, in the order of their API description. */
export const administrationOperations = {
  access: accessOperations,
  console: consoleOperations,
  users: userOperations,
  customUsers: administeredCustomUserOperations,
  applications: applicationOperations,
  rules: ruleOperations,
  sessions: liveSessionOperations,
  audit: auditOperations,
  refusals: refusalOperations,
  providers: administeredProviderOperations,
  classRights: classRightsOperations,
  maintenance: maintenanceOperations,
  limits: limitOperations,
  examination: examinationOperations,
  keys: keyOperations,
  synchronization: syncAdministrationOperations,
  macros: administeredMacroOperations,
  description: administrationDescriptionOperations,
} as const;

/** All operations of groups, in their order. */
export function operationsOf(groups: Readonly<Record<string, Readonly<Record<string, Operation>>>>): Operation[] {
  return Object.values(groups).flatMap((group) => Object.values(group));
}

/** The calls of a database. */
export type DatabaseCalls = CallsOf<typeof databaseOperations>;

/** The calls of administrators. */
export type AdministrationCalls = CallsOf<typeof administrationOperations>;

/**
 * Calls by method and path, such as `GET /v1/object/{idOrClass}`: of all operations that answer with an envelope and take
 * JSON or no body. `input` is the input of a call, `data` that of a success.
 */
type CallsOf<Groups> = {
  readonly [O in OperationIn<Groups> as KeyOf<O>]: {
    readonly input: PathOf<O> & QueryOf<O> & BodyOf<O> & SessionOf<O>;
    readonly data: O extends { data: infer S extends z.ZodType } ? z.output<S> : never;
  };
};

type OperationIn<Groups> = { [Name in keyof Groups]: Groups[Name][keyof Groups[Name]] }[keyof Groups];

type KeyOf<O> = O extends { answer: string } | { body: { form: object } | { stream: object } }
  ? never
  : O extends { method: infer M extends string; path: infer P extends string }
    ? `${M} ${P}`
    : never;

type ParameterOf<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;

type PathOf<O> = O extends { path: `${string}{${string}` }
  ? { readonly path: { readonly [Name in ParameterOf<O["path"]>]: string } }
  : unknown;

type QueryOf<O> = O extends { query: infer S extends z.ZodType }
  ? object extends z.input<S>
    ? { readonly query?: ValuesOf<S> | undefined }
    : { readonly query: ValuesOf<S> }
  : unknown;

/** The values of a query as they are parsed. The client writes them as text. */
type ValuesOf<S> = S extends z.ZodType
  ? {
      readonly [Name in keyof z.input<S>]: Name extends keyof z.output<S>
        ? z.output<S>[Name] | Extract<z.input<S>[Name], undefined>
        : never;
    }
  : never;

type BodyOf<O> = O extends { body: { json: infer S extends z.ZodType } }
  ? O extends { body: { optional: true } }
    ? { readonly body?: Sent<z.input<S>> | undefined }
    : { readonly body: Sent<z.input<S>> }
  : unknown;

/** A value that the client only reads. */
type Sent<T> = [z.core.util.JSONType] extends [T]
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Sent<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Sent<T[Name]> }
      : T;

/** The client has no session for operations that need none. */
type SessionOf<O> = O extends { access: "public" | "appKey" | "secrets" | "ticket" }
  ? { readonly anonymous: true }
  : unknown;
