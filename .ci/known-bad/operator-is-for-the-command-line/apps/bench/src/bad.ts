export { operatorDatabases } from "@sallyport/server/operator";
