/** Whether a search ignores the parameters that it does not know (docs/adr/017-unknown-parameters.md). */
import { readSettings, type SearchHandling } from '../clinics/settings.ts'
import type { Context } from './context.ts'

/** What the client prefers (`Prefer: handling=…`), else the setting of its clinic, else that of the server. */
export const isLenient = async (ctx: Context, preferred: SearchHandling | undefined): Promise<boolean> =>
  (preferred ?? (await readSettings(ctx.unit, ctx.clinic)).policies.searchHandling ?? ctx.searchHandling) === 'lenient'
