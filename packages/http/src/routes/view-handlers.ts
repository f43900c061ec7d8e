import type { viewOperations } from "@sallyport/contract";
import { createView, listViews, removeView, replaceView } from "@sallyport/core";
import type { Handlers } from "../route.ts";
import { classNameOf } from "./object-handlers.ts";

/** Saved views of classes. */
export const viewHandlers: Handlers<typeof viewOperations> = {
  listViews: async (context, { parameter }) => ({
    data: { items: await listViews(context, classNameOf(parameter("className"))) },
  }),
  createView: async (context, { parameter, body }) => {
    const view = await createView(context, classNameOf(parameter("className")), body);
    return { data: view, version: view.version };
  },
  replaceView: async (context, { parameter, body, expectedVersions }) => {
    const view = await replaceView(context, {
      className: classNameOf(parameter("className")),
      id: parameter("id"),
      definition: body,
      expectedVersions,
    });
    return { data: view, version: view.version };
  },
  removeView: async (context, { parameter }) => {
    await removeView(context, classNameOf(parameter("className")), parameter("id"));
    return { data: {} };
  },
};
