-- An Application is as healthy as Argo CD says it is; without this, waves of Applications do not wait.
hs = {status = "Progressing", message = "waiting for the first sync"}
local status = type(obj.status) == "table" and obj.status or {}
local health = type(status.health) == "table" and status.health or {}
if health.status ~= nil then
  hs.status = health.status
  hs.message = health.message or ""
end
return hs
