export { faults } from "@sallyport/storage-faults";
