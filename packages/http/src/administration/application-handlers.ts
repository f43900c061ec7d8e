import type { applicationOperations } from "@sallyport/contract";
import { allPages } from "@sallyport/storage";
import {
  changeApp,
  enableAppKey,
  findApp,
  findAppKey,
  listAppKeys,
  listApps,
  type ScopedAppKey,
  createAppKey,
  createApplication,
} from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { pageData, requiredVersions } from "./answers.ts";

/** App keys and app names. */
export const applicationHandlers: Handlers<typeof applicationOperations> = {
  listAppKeys: async (context, { query }) => ({
    data: await pageData(query, (page) => listAppKeys(context, page), {
      keyOf: ({ name }) => name,
      show: shownKey,
    }),
  }),
  createAppKey: async (context, { body }) => {
    const key = await createAppKey(context, { ...body, key: null });
    const keys = await allPages(
      (page) => listAppKeys(context, page),
      ({ name }) => name,
    );
    const created = keys.find(({ name }) => name === body.name) as ScopedAppKey;
    return { data: { ...shownKey(created), key } };
  },
  getAppKey: async (context, { parameter }) => {
    const { content, version } = await findAppKey(context, parameter("appKeyId"));
    return { data: shownKey(content), version };
  },
  changeAppKey: async (context, { parameter, body: { enabled }, ...input }) => {
    const expectedVersions = requiredVersions(input);
    const { content, version } = await enableAppKey(context, {
      id: parameter("appKeyId"),
      enabled,
      expectedVersions,
    });
    return { data: shownKey(content), version };
  },
  listApps: async (context, { query }) => ({
    data: await pageData(query, (page) => listApps(context, page), {
      keyOf: ({ name }) => name,
      show: (app) => app,
    }),
  }),
  createApp: async (context, { body }) => {
    await createApplication(context, body);
    const { content: data, version } = await findApp(context, body.name);
    return { data, version };
  },
  getApp: async (context, { parameter }) => {
    const { content: data, version } = await findApp(context, parameter("app"));
    return { data, version };
  },
  changeApp: async (context, { parameter, body: change, ...input }) => {
    const expectedVersions = requiredVersions(input);
    const { content: data, version } = await changeApp(context, {
      name: parameter("app"),
      change,
      expectedVersions,
    });
    return { data, version };
  },
};

function shownKey({ id, name, scope, enabled, appNames, origins, returnAddresses }: ScopedAppKey) {
  return { appKeyId: id, name, scope, enabled, appNames, origins, returnAddresses };
}
