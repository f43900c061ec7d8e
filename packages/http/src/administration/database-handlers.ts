import type {
  administeredMacroOperations,
  classRightsOperations,
  examinationOperations,
  keyOperations,
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
  examineDatabase,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { requiredVersions, timeText } from "./answers.ts";

/** The rights of classes. */
export const classRightsHandlers: Handlers<typeof classRightsOperations> = {
  listClassRights: async (context) => {
    const { content: items, version } = await listClassRights(context);
    return { data: { items }, version };
  },
  setClassRights: async (context, { parameter, body: { rights }, ...input }) => {
    const expectedVersions = requiredVersions(input);
    const change = { name: parameter("className"), rights, expectedVersions };
    const { content: data, version } = await putClassRights(context, change);
    return { data, version };
  },
};

/** The examination of the database. */
export const examinationHandlers: Handlers<typeof examinationOperations> = {
  examineDatabase: async (context) => ({ data: { items: await examineDatabase(context) } }),
};

/** The keys of the database, and the outbox of mail. */
export const keyHandlers: Handlers<typeof keyOperations> = {
  listKeys: async (context) => ({
    data: {
      items: (await listKeys(context)).map(({ createdAt, acceptedUntil, ...key }) => ({
        ...key,
        createdAt: timeText(createdAt),
        acceptedUntil: acceptedUntil === null ? null : timeText(acceptedUntil),
      })),
    },
  }),
  rotateKey: async (context, { parameter }) => {
    const kind = parameter("kind");
    if (kind !== "rsa" && kind !== "jwt") throw new ServiceError(304);
    return { data: await rotateServerKey(context, kind) };
  },
  getWaitingMail: async ({ r }) => {
    const { count, oldest, stuck } = await waitingMail(r);
    return { data: { count, oldestSeconds: Math.floor(oldest / 1000), stuckSeconds: Math.floor(stuck / 1000) } };
  },
};

/** Macros, read-only. */
export const administeredMacroHandlers: Handlers<typeof administeredMacroOperations> = {
  listMacros: async (context) => ({ data: { items: (await listMacros(context)).map(shownMacro) } }),
  getMacroHistory: async (context, { parameter, query: { after, limit = 100 } }) => {
    const page = { after: after === undefined ? null : Number(after), limit };
    const versions = await macroHistory(context, parameter("macroName"), page);
    const last = versions.at(-1);
    const next = versions.length < limit || last === undefined ? null : String(last.version);
    return { data: { items: versions.map(shownVersion), next } };
  },
};

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
