/**
 * ImplementationGuide/$install of more than one request may do: it stops between two parts, and continues when
 * repeated.
 */
import { beforeAll, expect, test } from '@jest/globals'
import type { OperationRequest } from '../../src/core/operation.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { Budget, withBudget } from '../../src/isolation/budget.ts'
import { implementationGuideInstall } from '../../src/operations/implementation-guide-install.ts'
import { packageOf } from '../support/packages.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const COUNT = 60
const codeSystems = Array.from({ length: COUNT }, (_none, index) => ({
  resourceType: 'CodeSystem',
  id: `work-${index}`,
  url: `http://example.org/CodeSystem/work-${index}`,
  status: 'active',
  content: 'complete',
  concept: Array.from({ length: 200 }, (_code, code) => ({ code: `c${code}`, display: `concept ${code}` })),
}))
const data = packageOf(codeSystems).toString('base64')

class CountingBudget extends Budget {
  spent = 0
  override spend(steps: number, what: string): void {
    this.spent += steps
    super.spend(steps, what)
  }
}

let store: TestRepository
beforeAll(async () => {
  store = await openTestRepository()
})

async function install(clinic: string, budget: Budget): Promise<string> {
  const request = { access: store.access(clinic), input: { package: { resourceType: 'Binary', data } } }
  return JSON.stringify(
    await withBudget(budget, () => implementationGuideInstall.handler(request as unknown as OperationRequest)),
  )
}

test('what is installed when the budget ends stays, is told, and is not installed again', async () => {
  const whole = new CountingBudget({ canMove: false })
  expect(await install('one', whole)).toContain(`is installed: ${COUNT} CodeSystem`)
  const half = new Budget({ canMove: false })
  half.spend(8_000_000 - whole.spent / 2, 'what came before')
  const error = await install('other', half).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FhirError)
  expect(error).toMatchObject({ status: 422, code: 'too-costly' })
  expect(String(error)).toContain(`The first 25 of ${COUNT} files or entries are installed`)
  const again = await install('other', new Budget({ canMove: false }))
  expect(again).toContain(`${COUNT} CodeSystem, of which 25 were there as they are`)
})
