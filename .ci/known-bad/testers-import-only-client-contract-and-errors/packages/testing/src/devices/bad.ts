export { route } from "@sallyport/http";
