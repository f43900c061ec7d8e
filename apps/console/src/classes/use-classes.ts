import { useQuery } from "@tanstack/react-query";
import { useConnection } from "../connection/connection-context.tsx";

/** The classes that the person can read, with their attributes. */
export function useClasses() {
  const connection = useConnection();
  return useQuery({
    queryKey: ["classes"],
    queryFn: ({ signal }) => connection.work(async (data) => (await data.getStructure({ signal })).classes),
    staleTime: 60_000,
  });
}
