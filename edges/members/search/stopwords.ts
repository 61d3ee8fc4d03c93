/** Words that a question has because it is a question; searching for them finds everything. */
const STOPWORDS = new Set(
  `a about above actually after again all already also am an and any anybody anyone anything are around as ask asked asks at
  be because been before being below best between both but by came can cannot case come comes could current currently
  did do does doing done dont down each else ever every everything example exactly exist exists explain
  few find finds first for from get gets give gives go goes going good got
  had handle handled handles happen happening happens has have having he hello help here hey hi how i if in inside into is isn it its itself
  just kind know last let lets like likely list live lives located look looking looks lot made main make makes making many may maybe me mean
  means might mine more most much must my need needs never new next no not nothing now of off often ok on once one only or other
  our out over own part parts people place places please possible put quite rather really related responsible right
  same say says see seem seems set shall she should show shows so some somebody someone something somewhere sort still such sure
  take takes tell than thank thanks that the their them then there these they thing things think this those through to too toward
  try two under until up upon us use used uses using usually various very via want wants was way ways we well were what whatever when
  where whether which while who whole whom whose why will with within without wonder work working works would yes yet you your
  code codebase file files folder directory project repo repository source implement implemented implementation implements
  define defined defines definition definitions declared declaration called calls call function functions method methods class classes
  variable line lines scout answer question`.split(/\s+/),
);

export function isStopword(word: string): boolean {
  return STOPWORDS.has(word) || /^\p{N}{1,2}$/u.test(word);
}
