/** Who: glyph, colour and name together. */
import { lookOf, memberStyles, type MemberLook, type MemberStyles } from "../../transcript/index.ts";
import { useHead } from "../store/use-store.ts";

const NOBODY: MemberStyles = new Map();

export function useMemberLook(name: string): MemberLook {
  return lookOf(useHead(memberStyles) ?? NOBODY, name);
}

export function MemberName({ name }: { name: string }) {
  const { hue, glyph } = useMemberLook(name);
  return (
    <span className="speaker" data-hue={hue}>
      <span className="glyph" aria-hidden="true">
        {glyph}
      </span>
      {name}
    </span>
  );
}
