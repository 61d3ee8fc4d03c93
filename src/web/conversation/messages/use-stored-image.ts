/** A picture that the session has, fetched when somebody wants to see it. */
import { useEffect, useState } from "react";
import type { Attachment } from "../../../protocol/index.ts";
import { useStore } from "../../store/use-store.ts";
import { cacheImage, cachedImage } from "./image-cache.ts";

/** Its address; absent while it is fetched and where none is wanted, `failed` when it cannot be. */
export function useStoredImage(wanted: Attachment | undefined): { readonly url?: string; readonly failed: boolean } {
  const store = useStore();
  const { mime = "", blob } = wanted ?? {};
  const sha256 = blob?.sha256 ?? "";
  const [url, setUrl] = useState(() => cachedImage(sha256));
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (url !== undefined || sha256 === "") return undefined;
    let isWanted = true;
    store.readBlob(sha256).then(
      (bytes) => {
        const made = cacheImage(sha256, new Blob([bytes], { type: mime }));
        if (isWanted) setUrl(made);
      },
      () => {
        if (isWanted) setFailed(true);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [store, sha256, mime, url]);
  return url === undefined ? { failed } : { url, failed };
}
