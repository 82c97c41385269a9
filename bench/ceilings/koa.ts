/** Ceiling: Koa and its router, with a fixed response. */
import { Router } from '@koa/router'
import Koa from 'koa'
import { FHIR_JSON, patientText, serve } from './ceiling.ts'

const text = patientText(0)
const router = new Router()
router.get('/Patient/:id', (koa) => {
  koa.type = FHIR_JSON
  koa.body = text
})
serve(new Koa().use(router.routes()).callback())
