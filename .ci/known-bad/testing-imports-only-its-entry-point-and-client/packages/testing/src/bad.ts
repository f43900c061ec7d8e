export { main } from "@sallyport/server";
