/** The first operator of a service: from then on operators make each other. */
import { FhirError } from '../fhir/outcome.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { createAccount, everyAccount } from './accounts.ts'
import type { PasswordCost } from './passwords.ts'

/**
 * Makes the operator, unless the service has one, be it disabled. True when it did.
 * @throws FhirError 400 when name or password break the rules, 409 when the user name is that of somebody else
 */
export async function makeFirstOperator(
  repository: Repository,
  { username, password }: { readonly username: string; readonly password: string },
  cost?: PasswordCost,
): Promise<boolean> {
  if (await hasOperator(repository)) return false
  try {
    await createAccount(repository, { username, name: username, clinic: SERVICE, role: 'operator' }, password, cost)
    return true
  } catch (error) {
    // Another server of the store may have made it meanwhile.
    if (error instanceof FhirError && error.status === 409 && (await hasOperator(repository))) return false
    throw error
  }
}

async function hasOperator(repository: Repository): Promise<boolean> {
  for await (const { role } of everyAccount(repository)) if (role === 'operator') return true
  return false
}
