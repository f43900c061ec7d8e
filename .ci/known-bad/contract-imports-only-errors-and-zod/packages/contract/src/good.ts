import { z } from "zod";
import { code } from "@sallyport/core/errors";
export const schema = z.literal(code);
