export { useCase } from "@sallyport/core";
