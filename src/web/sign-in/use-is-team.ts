import { useEffect, useState } from "react";
import { readOffer } from "./offer.ts";

/** Whether this is the page of a team's server; false until that is known. */
export function useIsTeam(): boolean {
  const [isTeam, setIsTeam] = useState(false);
  useEffect(() => void readOffer().then((offer) => setIsTeam(offer.isTeam)), []);
  return isTeam;
}
