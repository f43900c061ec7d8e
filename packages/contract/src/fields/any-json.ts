import { z } from "zod";

/** Any JSON: a body that is nobody's to judge here. */
export const anyJson = z.unknown().describe("Any JSON.");
