import { z } from "zod";
import { code } from "@sallyport/storage/errors";
export const schema = z.literal(code);
