export { code } from "@sallyport/storage/src/errors/index.ts";
