export { table } from "@sallyport/client/terminal";
