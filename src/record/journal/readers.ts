/** Roles as audiences of the journal: an exchange is read by its least role, and by those above it. */
import { ROLES, type Role } from '../../clinics/accounts.ts'

/** The role that reads every exchange of its clinic that nothing is said of. */
export const LEAST_ROLE: Role = 'staff'

/** The least roles of the exchanges that a role may read. */
export const readableBy = (role: Role): readonly Role[] => ROLES.slice(0, ROLES.indexOf(role) + 1)

/** The highest of some roles; LEAST_ROLE where there is none. */
export const highest = (roles: Iterable<Role>): Role =>
  ROLES[Math.max(0, ...Iterator.from(roles).map((role) => ROLES.indexOf(role)))] ?? LEAST_ROLE
