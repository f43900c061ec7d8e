export { code } from "@sallyport/core/src/errors/index.ts";
