import { expect, test } from "vitest";
import { MATH_ATTRIBUTES, MATH_TAGS } from "./math-tags.ts";
import { renderMath } from "./render-math.ts";

test("a formula becomes MathML, an invalid one undefined", () => {
  expect(renderMath("$x_1$")).toBe("<math><mrow><msub><mi>x</mi><mn>1</mn></msub></mrow></math>");
  expect(renderMath("$$\\frac{a}{b}$$")).toBe(
    '<math display="block"><mrow><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow></math>',
  );
  expect(renderMath("\\(a\\)")).toBe("<math><mrow><mi>a</mi></mrow></math>");
  expect(renderMath("$\\frac{a$")).toBeUndefined();
  expect(renderMath("a")).toBeUndefined();
});

test("only listed tags and attributes come out, and nothing that overlaps other text", () => {
  const attempts = [
    "\\href{javascript:alert(1)}{x}",
    "\\url{https://e.invalid}",
    "\\includegraphics{https://e.invalid/a.png}",
    "\\htmlClass{request}{x}\\htmlId{a}{x}\\htmlStyle{position:fixed}{x}\\htmlData{a=b}{x}",
    "\\text{<img src=x onerror=alert(1)>}</math><script>alert(1)</script>",
    "\\color{red}\\colorbox{red}{x}\\rule{900em}{900em}\\kern-90em\\raisebox{90em}{x}",
    "\\begin{align}a&=b\\tag{1}\\end{align}\\def\\x{\\x\\x}\\x",
    "\\unicode{x3c}\\char`<\\verb|<b>|",
  ];
  const all = attempts.map((formula) => renderMath(`$$${formula}$$`) ?? "").join("");
  const found = [...all.matchAll(/<\/?([a-z]+)((?: [a-z]+="[^"]*")*)>|[<>]/g)];
  expect(found.length).toBeGreaterThan(40);
  for (const [whole, name = "", given = ""] of found) {
    expect(MATH_TAGS, whole).toContain(name);
    for (const [, attribute, value = ""] of given.matchAll(/([a-z]+)="([^"]*)"/g)) {
      expect(MATH_ATTRIBUTES, whole).toContain(attribute);
      expect(value).not.toMatch(/^-[2-9]|\d{3}|:/);
    }
  }
});
