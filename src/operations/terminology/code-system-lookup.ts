/** CodeSystem/$lookup: https://hl7.org/fhir/R4/codesystem-operation-lookup.html. */

import { defineOperation } from '../../core/operation.ts'
import { clinicTerminology } from '../../core/terminology.ts'
import { canonicalText } from '../../terminology/canonical.ts'
import { lookUp } from '../../terminology/lookup.ts'
import { withSupplements } from '../../terminology/supplements.ts'
import { checkDate, inputCodes, withSystem } from './terminology-input.ts'

export const codeSystemLookup = defineOperation('code-system-lookup', async ({ access, input }) => {
  const [code] = inputCodes(input, { version: 'version' }).map(withSystem)
  if (code === undefined) throw new Error('inputCodes gives at least one code')
  const supplements = (input.useSupplement ?? []) as readonly string[]
  const stored = await clinicTerminology(access.reader(), { codeSystems: [code.system, ...supplements] })
  const terminology = withSupplements(stored, supplements)
  const concepts = terminology.codeSystem(canonicalText({ ...code, url: code.system }))
  checkDate(input.date, concepts === undefined ? [] : [concepts.system])
  return lookUp(terminology, code, {
    properties: (input.property ?? []) as readonly string[],
    ...(input.displayLanguage === undefined ? {} : { displayLanguage: String(input.displayLanguage) }),
  })
})
