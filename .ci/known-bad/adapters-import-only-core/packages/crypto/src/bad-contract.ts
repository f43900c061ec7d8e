export { schema } from "@sallyport/contract";
