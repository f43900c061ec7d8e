import {
  administeredApp,
  administeredAppKey,
  appChangeRequest,
  appKeyChangeRequest,
  appKeysResponse,
  appsResponse,
  createdAppKey,
  newAppKeyRequest,
  newAppRequest,
  pageParameters,
} from "@sallyport/contract";
import { allPages } from "@sallyport/storage";
import {
  changeApp,
  enableAppKey,
  findApp,
  findAppKey,
  listAppKeys,
  listApps,
  type ScopedAppKey,
} from "@sallyport/core";
import type { Route } from "../routes/route.ts";
import type { UseCases } from "../routes/use-cases.ts";
import { administrationRoute, pageData, requiredVersions } from "./administration-route.ts";

/** Routes of app keys. */
export function appKeyRoutes({ createAppKey }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/appKeys",
      operation: "listAppKeys",
      summary: "List the app keys",
      query: pageParameters,
      data: appKeysResponse,
      errors: [],
      handle: async (context, { query }) => ({
        data: await pageData(query, (page) => listAppKeys(context, page), {
          keyOf: ({ name }) => name,
          show: shownKey,
        }),
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/appKeys",
      operation: "createAppKey",
      summary: "Create an app key",
      description: "The server generates the key and returns it once.",
      needsProof: true,
      body: { schema: newAppKeyRequest, faultOrder: [] },
      data: createdAppKey,
      errors: [208],
      handle: async (context, { body }) => {
        const key = await createAppKey.createAppKey(context, { ...body, key: null });
        const keys = await allPages(
          (page) => listAppKeys(context, page),
          ({ name }) => name,
        );
        const created = keys.find(({ name }) => name === body.name) as ScopedAppKey;
        return { data: { ...shownKey(created), key } };
      },
    }),
    administrationRoute({
      method: "GET",
      path: "/appKeys/{appKeyId}",
      operation: "getAppKey",
      summary: "Get an app key",
      data: administeredAppKey,
      versioned: true,
      errors: [],
      handle: async (context, { parameter }) => {
        const { content, version } = await findAppKey(context, parameter("appKeyId"));
        return { data: shownKey(content), version };
      },
    }),
    administrationRoute({
      method: "PATCH",
      path: "/appKeys/{appKeyId}",
      operation: "changeAppKey",
      summary: "Enable or disable an app key",
      description: "Takes effect with the next request. The key of the request itself cannot be disabled.",
      needsProof: true,
      body: { schema: appKeyChangeRequest, faultOrder: [] },
      data: administeredAppKey,
      versioned: true,
      conditional: true,
      errors: [713],
      handle: async (context, { parameter, body: { enabled }, ...input }) => {
        const expectedVersions = requiredVersions(input);
        const { content, version } = await enableAppKey(context, {
          id: parameter("appKeyId"),
          enabled,
          expectedVersions,
        });
        return { data: shownKey(content), version };
      },
    }),
  ];
}

/** Routes of app names, with their seats and second-factor rules. */
export function appRoutes({ createApplication }: UseCases): Route[] {
  return [
    administrationRoute({
      method: "GET",
      path: "/apps",
      operation: "listApps",
      summary: "List the app names",
      query: pageParameters,
      data: appsResponse,
      errors: [],
      handle: async (context, { query }) => ({
        data: await pageData(query, (page) => listApps(context, page), {
          keyOf: ({ name }) => name,
          show: (app) => app,
        }),
      }),
    }),
    administrationRoute({
      method: "POST",
      path: "/apps",
      operation: "createApp",
      summary: "Create an app name",
      needsProof: true,
      body: { schema: newAppRequest, faultOrder: [] },
      data: administeredApp,
      versioned: true,
      errors: [],
      handle: async (context, { body }) => {
        await createApplication.createApplication(context, body);
        const { content: data, version } = await findApp(context, body.name);
        return { data, version };
      },
    }),
    administrationRoute({
      method: "GET",
      path: "/apps/{app}",
      operation: "getApp",
      summary: "Get an app name",
      data: administeredApp,
      versioned: true,
      errors: [],
      handle: async (context, { parameter }) => {
        const { content: data, version } = await findApp(context, parameter("app"));
        return { data, version };
      },
    }),
    administrationRoute({
      method: "PATCH",
      path: "/apps/{app}",
      operation: "changeApp",
      summary: "Change the seats and the second-factor rule of an app name",
      description: "Takes effect with the next log-in.",
      needsProof: true,
      body: { schema: appChangeRequest, faultOrder: [] },
      data: administeredApp,
      versioned: true,
      conditional: true,
      errors: [713],
      handle: async (context, { parameter, body: change, ...input }) => {
        const expectedVersions = requiredVersions(input);
        const { content: data, version } = await changeApp(createApplication, context, {
          name: parameter("app"),
          change,
          expectedVersions,
        });
        return { data, version };
      },
    }),
  ];
}

function shownKey({ id, name, scope, enabled, appNames, origins, returnAddresses }: ScopedAppKey) {
  return { appKeyId: id, name, scope, enabled, appNames, origins, returnAddresses };
}
