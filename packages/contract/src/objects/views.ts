import * as z from "zod";
import { operations } from "../operations.ts";

const maxNameLength = 100;
const maxColumns = 500;
const maxPathLength = 400;
const maxSearchLength = 1_024;
const maxSortKeys = 10;
/** Bytes of a view. */
const maxBytes = 8_192;

const path = z.string().min(1).max(maxPathLength);

/** Body of a view. It replaces the whole view. */
export const viewRequest = z
  .strictObject({
    name: z.string().trim().min(1).max(maxNameLength).describe("Name of the view."),
    isShared: z.boolean().default(false).describe("Whether all users with read access to the class can see the view."),
    columns: z.array(path).max(maxColumns).optional().describe("Attributes that the view shows, in order."),
    where: z.looseObject({}).optional().describe("The filter of the view, as in `query`."),
    sort: z.array(path).max(maxSortKeys).optional().describe("The order of the view, as in `query`."),
    search: z.string().max(maxSearchLength).optional().describe("Text to search for."),
  })
  .meta({ id: "ViewDefinition" });

/** A saved view of a class. */
export const viewResponse = viewRequest
  .extend({
    id: z.string(),
    isShared: z.boolean(),
    isOwn: z.boolean().describe("Whether the caller owns the view."),
    version: z.int().describe("Version of the view, for `If-Match`."),
  })
  .meta({ id: "View" });

/** The views of a class that the caller can see. */
export const viewsResponse = z.object({ items: z.array(viewResponse).describe("By name.") }).meta({ id: "Views" });

/** What a saved view shows of a class. */
export type ViewDefinitionData = Readonly<z.input<typeof viewRequest>>;

/** A saved view of a class. */
export type ViewData = z.infer<typeof viewResponse>;

const viewsPath = "/v1/views/{className}";
const viewPath = "/v1/views/{className}/{id}";

/** Saved views of classes. A view can name what the class no longer has. */
export const viewOperations = operations("Objects", {
  listViews: {
    method: "GET",
    path: viewsPath,
    access: "session",
    summary: "List the saved views of a class",
    description: "Returns the views of the caller, and the shared ones of others.",
    data: viewsResponse,
    errors: [304],
  },
  createView: {
    method: "POST",
    path: viewsPath,
    access: "session",
    summary: "Save a view of a class",
    description: "A user can save 100 views, and all users together 2,000 (307). A view has at most 8 KiB (801).",
    body: { json: viewRequest, limit: maxBytes },
    data: viewResponse,
    versioned: true,
    errors: [304, 307],
  },
  replaceView: {
    method: "PUT",
    path: viewPath,
    access: "session",
    summary: "Replace a saved view",
    description: "For the owner of the view only.",
    body: { json: viewRequest, limit: maxBytes },
    data: viewResponse,
    versioned: true,
    conditional: true,
    errors: [304, 307, 404, 713],
  },
  removeView: {
    method: "DELETE",
    path: viewPath,
    access: "session",
    summary: "Delete a saved view",
    description: "For the owner of the view, and for administrators if it is shared.",
    errors: [304, 404],
  },
});
