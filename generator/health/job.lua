-- Kueue suspends a job until it is admitted. A TrainJob ends Complete, a JobSet Completed; an end outlasts a suspension.
hs = {status = "Progressing", message = "running"}
local status = type(obj.status) == "table" and obj.status or {}
for _, condition in ipairs(type(status.conditions) == "table" and status.conditions or {}) do
  if type(condition) == "table" and condition.status == "True" then
    if condition.type == "Failed" then
      hs.status = "Degraded"
      hs.message = condition.message or "failed"
      return hs
    elseif condition.type == "Complete" or condition.type == "Completed" then
      hs.status = "Healthy"
      hs.message = condition.message or "complete"
      return hs
    elseif condition.type == "Suspended" then
      hs.status = "Suspended"
      hs.message = condition.message or "waiting for quota"
    end
  end
end
return hs
