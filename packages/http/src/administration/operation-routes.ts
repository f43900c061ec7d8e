import {
  classesRightsResponse,
  classRightsRequest,
  classRightsResponse,
  examinationResponse,
  keysResponse,
  macrosResponse,
  macroVersionParameters,
  macroVersionsResponse,
  rotatedKey,
  waitingMailResponse,
} from "@sallyport/contract";
import { ServiceError } from "@sallyport/storage";
import {
  type AdministeredMacro,
  listClassRights,
  listKeys,
  listMacros,
  macroHistory,
  type MacroVersion,
  putClassRights,
  rotateServerKey,
  waitingMail,
} from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationRoute, requiredVersions, timeText } from "./administration-route.ts";

/** Routes of the rights of classes. `ETag` is the generation of the model. */
export function classRightsRoutes({ putClass }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/classes",
      operation: "listClassRights",
      summary: "List the rights of the classes",
      data: classesRightsResponse,
      versioned: true,
      errors: [],
      handle: async (context) => {
        const { content: items, version } = await listClassRights(context);
        return { data: { items }, version };
      },
    }),
    administrationRoute({
      method: "PUT",
      path: "/classes/{className}/rights",
      operation: "setClassRights",
      summary: "Set the rights of a class",
      description: "Takes effect with the next request.",
      needsProof: true,
      body: { schema: classRightsRequest, faultOrder: [] },
      data: classRightsResponse,
      versioned: true,
      conditional: true,
      errors: [713],
      handle: async (context, { parameter, body: { rights }, ...input }) => {
        const expectedVersions = requiredVersions(input);
        const given = { name: parameter("className"), rights, expectedVersions };
        const { content: data, version } = await putClassRights(putClass, context, given);
        return { data, version };
      },
    }),
  ];
}

/** The examination of the database. */
export function examinationRoutes({ examineDatabase }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/examination",
      operation: "examineDatabase",
      summary: "Examine the database",
      description:
        "Checks schema, clock, rights, keys, providers, demo data and mail of the database. Changes nothing.",
      data: examinationResponse,
      errors: [],
      handle: async (context) => ({ data: { items: await examineDatabase.examineDatabase(context) } }),
    }),
  ];
}

/** Routes of the keys of the database. */
export function keyRoutes({ rotateKey }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/keys",
      operation: "listKeys",
      summary: "List the accepted keys",
      data: keysResponse,
      errors: [],
      handle: async (context) => ({
        data: {
          items: (await listKeys(context)).map(({ createdAt, acceptedUntil, ...key }) => ({
            ...key,
            createdAt: timeText(createdAt),
            acceptedUntil: acceptedUntil === null ? null : timeText(acceptedUntil),
          })),
        },
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/keys/{kind}/rotate",
      operation: "rotateKey",
      summary: "Replace the current key",
      description: "The former key is accepted for 24 hours, and sessions continue. `kind` is `rsa` or `jwt`.",
      needsProof: true,
      data: rotatedKey,
      errors: [713],
      handle: async (context, { parameter }) => {
        const kind = parameter("kind");
        if (kind !== "rsa" && kind !== "jwt") throw new ServiceError(304);
        return { data: await rotateServerKey(rotateKey, context, kind) };
      },
    }),
  ];
}

/** The outbox of mail. */
export function mailRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/mail",
      operation: "getWaitingMail",
      summary: "Get the state of the outbox",
      data: waitingMailResponse,
      errors: [],
      handle: async ({ r }) => {
        const { count, oldest, stuck } = await waitingMail(r);
        return { data: { count, oldestSeconds: Math.floor(oldest / 1000), stuckSeconds: Math.floor(stuck / 1000) } };
      },
    }),
  ];
}

/** Macros, read-only. Their source is no part of any request or response. */
export function macroAdministrationRoutes(): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/macros",
      operation: "listMacros",
      summary: "List the macros and hooks with their state",
      data: macrosResponse,
      errors: [],
      handle: async (context) => ({ data: { items: (await listMacros(context)).map(shownMacro) } }),
    }),
    administrationRoute({
      method: "GET",
      path: "/macros/{macroName}/history",
      operation: "getMacroHistory",
      summary: "Get the versions of a macro",
      description: "Of a macro in the database, the latest version first. Includes removals.",
      query: macroVersionParameters,
      data: macroVersionsResponse,
      errors: [],
      handle: async (context, { parameter, query: { after, limit = 100 } }) => {
        const page = { after: after === undefined ? null : Number(after), limit };
        const versions = await macroHistory(context, parameter("macroName"), page);
        const last = versions.at(-1);
        const next = versions.length < limit || last === undefined ? null : String(last.version);
        return { data: { items: versions.map(shownVersion), next } };
      },
    }),
  ];
}

function shownMacro({ stored, ...macro }: AdministeredMacro) {
  return {
    ...macro,
    stored: stored !== null,
    version: stored?.version ?? null,
    changedAt: stored === null ? null : timeText(stored.changedAt),
    changedBy: stored?.changedBy ?? null,
  };
}

function shownVersion({ version, language, text, changedAt, changedBy }: MacroVersion) {
  const bytes = text === null ? null : Buffer.byteLength(text);
  return { version, language, bytes, changedAt: timeText(changedAt), changedBy };
}
