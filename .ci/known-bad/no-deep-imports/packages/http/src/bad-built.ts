export { code } from "@sallyport/storage/dist/errors/index.js";
