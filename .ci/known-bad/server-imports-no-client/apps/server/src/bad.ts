export { client } from "@sallyport/client";
