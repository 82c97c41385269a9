/** CodeSystem/$lookup: https://hl7.org/fhir/R4/codesystem-operation-lookup.html. */

import { defineOperation } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { canonicalText } from '../../terminology/canonical.ts'
import { lookUp } from '../../terminology/lookup.ts'
import { withSupplements } from '../../terminology/supplements.ts'
import { askedCodes, checkDate, withSystem } from './asked-terms.ts'

export const codeSystemLookup = defineOperation('code-system-lookup', async ({ access, input }) => {
  const [asked] = askedCodes(input, { version: 'version' }).map(withSystem)
  if (asked === undefined) throw new Error('askedCodes gives at least one code')
  const supplements = (input.useSupplement ?? []) as readonly string[]
  const stored = await clinicTerminology(access.reader(), { codeSystems: [asked.system, ...supplements] })
  const terminology = withSupplements(stored, supplements)
  const concepts = terminology.codeSystem(canonicalText({ ...asked, url: asked.system }))
  checkDate(input.date, concepts === undefined ? [] : [concepts.system])
  return lookUp(terminology, asked, {
    properties: (input.property ?? []) as readonly string[],
    ...(input.displayLanguage === undefined ? {} : { displayLanguage: String(input.displayLanguage) }),
  })
})
