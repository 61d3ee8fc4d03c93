/** Who: glyph, colour and name together. */
import { memberStyle, memberStyles, type MemberStyle, type MemberStyles } from "../../transcript/index.ts";
import { useHead } from "../store/use-store.ts";

const NOBODY: MemberStyles = new Map();

export function useMemberStyle(name: string): MemberStyle {
  return memberStyle(useHead(memberStyles) ?? NOBODY, name);
}

export function MemberName({ name }: { name: string }) {
  const { hue, glyph } = useMemberStyle(name);
  return (
    <span className="speaker" data-hue={hue}>
      <span className="glyph" aria-hidden="true">
        {glyph}
      </span>
      {name}
    </span>
  );
}
