/** Texts that look like HTML: https://hl7.org/fhir/R4/security.html#narrative. */
import { shortened } from '../../fhir/validate/report.ts'
import { Meter } from '../../isolation/budget.ts'
import type { Findings } from '../findings.ts'
import type { TypedElement } from '../typed-element.ts'

/** A tag begins with a letter after `<` or `</`, so that `a < b` is none, and ends before another one begins. */
const TAG = /<\/?[a-z][\w-]*(?:[\s/][^<>]*)?>/i
/** Code in Markdown, whose tags are shown as they are. */
const MARKDOWN_CODE = /`+[^`]*`+/g

/** Characters that are searched in a microsecond. */
const CHARACTERS_PER_STEP = 100
const meter = new Meter('the texts of the resource')

/** Warns about a tag in a string or in Markdown. @throws BudgetError */
export function checkMarkup({ value, type, path }: TypedElement, findings: Findings): void {
  if (typeof value !== 'string') return
  meter.pay(value.length / CHARACTERS_PER_STEP)
  if (!value.includes('<')) return
  const tag = TAG.exec(type === 'markdown' ? value.replace(MARKDOWN_CODE, '') : value)?.[0]
  if (tag === undefined) return
  const message = `has what looks like an HTML tag, ${shortened(tag)}; a reader that displays the text as HTML without escaping it runs a risk`
  findings.add({ code: 'security', path, message, severity: 'warning' })
}
